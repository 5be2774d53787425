// State diagrams: the states that something can have, the present one, and when it came there.

import { moment } from "./format.js";
import { html } from "./lib.js";

const ASYNCHRONOUS = [["received"], ["processing"], ["processed", "failed"]];
const NFT = [["processing"], ["processed", "failed"]];

/** By kind the states in their order; those of one step exclude each other. */
const STEPS = {
  order: [["waiting"], ["processing"], ["cancelling"], ["processed", "cancelled", "expired"]],
  transfer: ASYNCHRONOUS,
  withdrawal: ASYNCHRONOUS,
  account_update: ASYNCHRONOUS,
  nft_mint: NFT,
  nft_transfer: NFT,
  nft_withdrawal: NFT,
  nft_deploy: NFT,
  block: [["pending"], ["confirmed"], ["finalized"]],
};
const BAD = ["failed", "cancelled", "expired"];

export function States({ kind, status, moves = [] }) {
  const steps = STEPS[kind] ?? ASYNCHRONOUS;
  const present = steps.findIndex((states) => states.includes(status));
  const at = new Map(moves.map((move) => [move.to, move.at_ms]));
  return html`<ol class="states" aria-label=${`States of this ${kind.replaceAll("_", " ")}`}>
    ${steps.map((states, index) => html`<li key=${index}>${states.map((state) => {
      const isPresent = state === status;
      const isPassed = index < present && (at.has(state) || kind !== "order");
      const classes = ["state", isPresent && "present", isPassed && "passed", BAD.includes(state) && "bad"].filter(Boolean).join(" ");
      return html`<span key=${state} class=${classes} aria-current=${isPresent ? "step" : undefined}>${state}
        ${(isPresent || isPassed) && at.has(state) && html`<small><time>${moment(at.get(state))}</time></small>`}</span>`;
    })}</li>`)}
  </ol>`;
}
