// The orders: in a list of which only the rows in view are drawn, and one of them with what can be done to it.

import { control } from "./api.js";
import { useTokens } from "./accounts.js";
import { amount, iso, moment, short } from "./format.js";
import { html, useMemo, useState } from "./lib.js";
import { Act, Badge, Part, Rows, Waiting } from "./parts.js";
import { useLive, useView } from "./store.js";
import { States } from "./states.js";

const COLUMNS = "6.6em 6.6em 3.6em minmax(6em, 1fr) minmax(6em, 1fr) 3.6em 7.5em 4.5em";
const OPEN = ["processing", "waiting", "cancelling"];
const KINDS = { good: ["processed"], runs: OPEN, bad: ["cancelled", "expired"] };
const colourOf = (status) => Object.keys(KINDS).find((kind) => KINDS[kind].includes(status)) ?? "";

export function Orders({ rest }) {
  const { value: state, error } = useView("state", ["moved", "due", "command"], 1000);
  const [isAll, setAll] = useState(false);
  const [text, setText] = useState("");
  const tokens = useTokens();
  const names = useMemo(() => new Map([[0, "house"], ...(state?.accounts ?? []).map((one) => [one.accountId, one.name])]), [state]);
  if (!state) return html`<${Waiting} error=${error} />`;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = state.orders
    .filter((order) => {
      if (!isAll && !OPEN.includes(order.status)) return false;
      const whole = `${order.hash} ${order.market} ${order.side} ${order.status} ${names.get(order.accountId)} ${order.price} ${order.clientOrderId}`.toLowerCase();
      return words.every((word) => whole.includes(word));
    })
    .reverse();
  const order = state.orders.find(({ hash }) => hash === rest);
  return html`<div class="two">
    <${Part} title="Orders" kind="list" actions=${html`
        <input type="search" aria-label="Filter the orders" placeholder="filter" value=${text} onInput=${(event) => setText(event.currentTarget.value)} />
        <label class="switch"><input type="checkbox" role="switch" checked=${isAll} onChange=${(event) => setAll(event.currentTarget.checked)} /> ended ones too</label>
        <span class="count">${shown.length} of ${state.orders.length}</span>`}>
      <${Rows} items=${shown} keyOf=${(one) => one.hash} chosen=${rest} label="Orders, newest first" columns=${COLUMNS}
        choose=${(hash) => location.replace(`#orders/${hash}`)} empty="no order"
        row=${(one) => html`<${OrderCells} order=${one} tokens=${tokens} name=${names.get(one.accountId)} />`} />
    <//>
    ${order ? html`<${OrderDetail} order=${order} tokens=${tokens} name=${names.get(order.accountId)} key=${order.hash} />`
      : html`<${Part} title="Order" kind="detail"><p class="empty">Choose an order.</p><//>`}
  </div>`;
}

const tokenOf = (order, tokens, index) => tokens.get(order.market.split("-")[index]);
const shareOf = (order) => Math.floor((100 * Number(order.filledSize)) / Number(order.size));

function OrderCells({ order, tokens, name }) {
  return html`<time>${moment(order.createdAt).slice(0, 8)}</time><span>${order.market}</span>
    <span class=${order.side === "BUY" ? "up" : "down"}>${order.side}</span>
    <span class="number">${order.price}</span><span class="number">${amount(order.size, tokenOf(order, tokens, 0)?.decimals ?? 0, 3)}</span>
    <span class="number">${shareOf(order)} %</span><${Badge} kind=${colourOf(order.status)}>${order.held ? "held" : order.status}<//><span>${name}</span>`;
}

function OrderDetail({ order, tokens, name }) {
  const { moves } = useLive();
  const path = `orders/${order.hash}`;
  const isOpen = OPEN.includes(order.status);
  const base = tokenOf(order, tokens, 0);
  const rest = (BigInt(order.size) - BigInt(order.filledSize)).toString();
  const rows = [
    ["hash", html`<code>${order.hash}</code>`],
    ["owner", `${name} (${order.accountId})`],
    ["order id", order.orderId],
    ["client's id", order.clientOrderId || "none"],
    ["type", order.orderType],
    ["price", `${order.price} ${order.market.split("-")[1]}`],
    ["size", `${amount(order.size, base?.decimals ?? 0)} ${base?.symbol ?? ""}`],
    ["filled", html`${amount(order.filledSize, base?.decimals ?? 0)} <progress value=${shareOf(order)} max="100" aria-label="filled"></progress>`],
    ["fee so far", order.filledFee],
    ["created", iso(order.createdAt)],
    ["valid until", iso(Math.min(order.validUntil, 253402300799) * 1000)],
  ];
  return html`<${Part} title=${`Order ${short(order.hash)}`} kind="detail" actions=${html`
      ${order.held && html`<${Act} run=${() => control("POST", `${path}/release`, { as: "active" })}>Release<//>
        <${Act} run=${() => control("POST", `${path}/release`, { as: "failed" })}>Fail<//>`}
      ${isOpen && !order.held && html`<${Act} run=${() => control("POST", `${path}/fill`, { size: rest })}>Fill<//>
        <${Act} run=${() => control("POST", `${path}/cancel`, {})}>Cancel<//>`}`}>
    <${States} kind="order" status=${order.status} moves=${moves.get(order.hash) ?? []} />
    <table class="facts"><tbody>${rows.map(([what, value]) => html`<tr key=${what}><th scope="row">${what}</th><td>${value}</td></tr>`)}</tbody></table>
  <//>`;
}
