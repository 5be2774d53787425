// The asynchronous requests, each in its state diagram, and the blocks that they end in.

import { control } from "./api.js";
import { short } from "./format.js";
import { html } from "./lib.js";
import { Act, Badge, Part, Waiting } from "./parts.js";
import { States } from "./states.js";
import { useLive, useView } from "./store.js";

const SHOWN = 100;

export function Requests() {
  const { value: state, error } = useView("state", ["moved", "due", "command"], 1000);
  const { moves } = useLive();
  if (!state) return html`<${Waiting} error=${error} />`;
  const names = new Map(state.accounts.map((one) => [one.accountId, one.name]));
  const requests = [...state.requests].reverse();
  return html`<${Part} title="Requests" actions=${html`<span class="count">${requests.length}</span>`}>
    ${requests.length === 0 && html`<p class="empty">no transfer, withdrawal, account update or NFT request yet</p>`}
    <ul class="requests">${requests.slice(0, SHOWN).map((request) => html`<li key=${request.hash}>
      <div class="head"><strong>${request.kind.replaceAll("_", " ")}</strong> of ${names.get(request.accountId) ?? request.accountId}
        <code title=${request.hash}>${short(request.hash)}</code>
        ${request.blockId !== null && html`<${Badge}>block ${request.blockId}<//>`}
        ${["received", "processing"].includes(request.status) && html`
          <${Act} run=${() => control("POST", `submissions/${request.hash}/advance`, { to: request.status === "received" ? "processing" : "processed" })}>${request.status === "received" ? "To processing" : "To processed"}<//>
          <${Act} run=${() => control("POST", `submissions/${request.hash}/advance`, { to: "failed" })}>Fail<//>`}</div>
      <${States} kind=${request.kind} status=${request.status} moves=${moves.get(request.hash) ?? []} />
    </li>`)}</ul>
    ${requests.length > SHOWN && html`<p class="note">the newest ${SHOWN} of ${requests.length}</p>`}
  <//>`;
}

export function Blocks() {
  const { value: state, error } = useView("state", ["moved", "due", "command"], 1000);
  const { moves } = useLive();
  if (!state) return html`<${Waiting} error=${error} />`;
  const blocks = [...state.blocks].reverse().slice(0, SHOWN);
  return html`<div class="cards">
    <${Part} title="Pending" actions=${html`<span class="count">${state.pending.length}</span>
        <${Act} run=${() => control("POST", "blocks/seal", {})}>Seal a block<//>`}>
      ${state.pending.length === 0 ? html`<p class="empty">nothing waits for a block</p>` : html`
        <ol class="pending">${state.pending.slice(0, SHOWN).map((tx, index) => html`<li key=${index}>${tx.txType} <small>${tx.accountId ?? tx.orderA?.accountID ?? ""}</small></li>`)}</ol>`}
    <//>
    <${Part} title="Blocks" actions=${html`<${Act} run=${() => control("POST", "blocks/finalize", {})}>Finalize<//>`}>
      <ul class="requests">${blocks.map((block) => html`<li key=${block.blockId}>
        <div class="head"><strong>block ${block.blockId}</strong> ${block.blockSize} ${block.blockSize === 1 ? "transaction" : "transactions"}</div>
        <${States} kind="block" status=${block.status} moves=${moves.get(String(block.blockId)) ?? []} /></li>`)}</ul>
    <//>
  </div>`;
}
