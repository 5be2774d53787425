// A market: candles, depth, book and trades.

import { Candles, Depth } from "./chart.js";
import { amount, approximate, moment } from "./format.js";
import { html, useMemo, useState } from "./lib.js";
import { Badge, Choose, Part, Waiting } from "./parts.js";
import { useView } from "./store.js";

const SECONDS = { "1min": 60, "5min": 300, "15min": 900, "30min": 1800, "1hr": 3600, "2hr": 7200, "4hr": 14_400, "12hr": 43_200, "1d": 86_400, "1w": 604_800 };
const MOVES = ["moved", "due", "command"];
const BOOK_ROWS = 15;

export function Markets({ rest }) {
  const { value: markets, error } = useView("markets", MOVES);
  const [interval, setInterval] = useState("1hr");
  const [level, setLevel] = useState("");
  if (!markets) return html`<${Waiting} error=${error} />`;
  const market = markets.find(({ market: name }) => name === rest) ?? markets[0];
  if (market === undefined) return html`<p class="empty">This scenario has no market.</p>`;
  const levels = market.levels.map(String);
  const shownLevel = levels.includes(level) ? level : levels[0];
  return html`
    <div class="bar">
      <${Choose} label="market" value=${market.market} options=${markets.map((one) => one.market)} onChange=${(name) => location.replace(`#markets/${name}`)} />
      <${Choose} label="candles of" value=${interval} options=${Object.keys(SECONDS)} onChange=${setInterval} />
      <${Choose} label="level" value=${shownLevel} options=${levels} onChange=${setLevel} />
      <dl class="figures">
        <div><dt>bid</dt><dd class="up">${market.bid ?? "none"}</dd></div>
        <div><dt>ask</dt><dd class="down">${market.ask ?? "none"}</dd></div>
        <div><dt>last</dt><dd>${market.last ?? "none"}</dd></div>
        <div><dt>orders</dt><dd>${market.orders}</dd></div>
        <div><dt>trades</dt><dd>${market.trades}</dd></div>
      </dl>
    </div>
    <div class="market" key=${market.market}>
      <div class="charts">
        <${MarketCandles} market=${market} interval=${interval} key=${interval} />
        <${MarketDepth} market=${market} level=${shownLevel} />
      </div>
      <${Book} market=${market} level=${shownLevel} />
      <${Trades} market=${market} />
    </div>`;
}

function MarketCandles({ market, interval }) {
  const { value, error } = useView(`markets/${market.market}/candles?interval=${interval}&last=120`, MOVES);
  const data = useMemo(
    () => ["start_ms", "open", "high", "low", "close"].map((name) => (value ?? []).map((candle) => (name === "start_ms" ? candle.start_ms / 1000 : Number(candle[name])))),
    [value],
  );
  const last = value?.at(-1);
  return html`<${Part} title="Candles" kind="candles">
    ${!value ? html`<${Waiting} error=${error} />` : value.length === 0 ? html`<p class="empty">no trade yet</p>` : html`
      <${Candles} data=${data} lengthS=${SECONDS[interval]} digits=${market.pricePrecision}
        label=${`${value.length} candles of ${market.market}, each ${interval}; the last one opened at ${last.open} and closed at ${last.close}`} />`}
  <//>`;
}

function MarketDepth({ market, level }) {
  const { value, error } = useView(`markets/${market.market}/book?level=${level}&limit=200`, MOVES);
  const data = useMemo(() => (value ? depthOf(value, market.base.decimals) : null), [value]);
  return html`<${Part} title="Depth" kind="depth">
    ${!value ? html`<${Waiting} error=${error} />` : value.bids.length + value.asks.length === 0 ? html`<p class="empty">the book is empty</p>` : html`
      <${Depth} data=${data} digits=${market.pricePrecision}
        label=${`Depth of ${market.market}: ${value.bids.length} prices bid, the highest ${value.bids[0]?.price ?? "none"}; ${value.asks.length} prices asked, the lowest ${value.asks[0]?.price ?? "none"}`} />`}
  <//>`;
}

function depthOf({ bids, asks }, decimals) {
  const summed = (rows) => {
    let sum = 0;
    return rows.map(({ price, size }) => [Number(price), (sum += approximate(size, decimals))]);
  };
  const left = summed(bids).reverse();
  const right = summed(asks);
  // The outermost prices are drawn with a width, too.
  const room = ((right.at(-1) ?? left.at(-1))[0] - (left[0] ?? right[0])[0]) * 0.03;
  if (left.length > 0) left.unshift([left[0][0] - room, left[0][1]]);
  if (right.length > 0) right.push([right.at(-1)[0] + room, right.at(-1)[1]]);
  return [
    [...left, ...right].map(([price]) => price),
    [...left.map(([, size]) => size), ...right.map(() => null)],
    [...left.map(() => null), ...right.map(([, size]) => size)],
  ];
}

function Book({ market, level }) {
  const { value, error } = useView(`markets/${market.market}/book?level=${level}&limit=${BOOK_ROWS}`, MOVES);
  if (!value) return html`<${Part} title="Book" kind="book"><${Waiting} error=${error} /><//>`;
  const most = Math.max(1, ...[...value.bids, ...value.asks].map(({ size }) => approximate(size, market.base.decimals)));
  const rows = (side, name) =>
    side.map((row) => html`<tr key=${name + row.price} class=${name}>
      <td class="price">${row.price}</td>
      <td class="size"><span class="fill" style=${{ width: `${(100 * approximate(row.size, market.base.decimals)) / most}%` }}></span><span>${amount(row.size, market.base.decimals, 4)}</span></td>
      <td>${row.orders}</td></tr>`);
  return html`<${Part} title="Book" kind="book">
    <div class="scroll" tabindex="0" role="region" aria-label="Book">
    <table><thead><tr><th scope="col">price ${market.quote.symbol}</th><th scope="col">size ${market.base.symbol}</th><th scope="col">orders</th></tr></thead>
      <tbody>${rows([...value.asks].reverse(), "down")}
        <tr class="middle"><td colspan="3">${market.bid && market.ask ? `spread ${(Number(market.ask) - Number(market.bid)).toFixed(market.pricePrecision)}` : "one side is empty"}</td></tr>
        ${rows(value.bids, "up")}</tbody></table></div>
  <//>`;
}

function Trades({ market }) {
  const { value, error } = useView(`markets/${market.market}/trades?last=60`, MOVES);
  if (!value) return html`<${Part} title="Trades" kind="trades"><${Waiting} error=${error} /><//>`;
  const trades = [...value.trades].reverse();
  const near = trades[0]?.at_ms;
  return html`<${Part} title="Trades" kind="trades" actions=${html`<span class="count">${value.total}</span>`}>
    <div class="scroll" tabindex="0" role="region" aria-label="Trades">
    <table><thead><tr><th scope="col">time</th><th scope="col">side</th><th scope="col">price</th><th scope="col">size ${market.base.symbol}</th><th scope="col">taker</th><th scope="col">maker</th></tr></thead>
      <tbody>${trades.length === 0 && html`<tr><td colspan="6" class="empty">no trade yet</td></tr>`}
      ${trades.map((trade) => html`<tr key=${trade.id}>
        <td><time>${moment(trade.at_ms, near)}</time></td>
        <td><${Badge} kind=${trade.side === "BUY" ? "good" : "bad"}>${trade.side}<//></td>
        <td>${trade.price}</td><td>${amount(trade.size, market.base.decimals, 4)}</td>
        <td>${trade.taker.accountId || "house"}</td><td>${trade.maker.accountId || "house"}</td></tr>`)}</tbody></table></div>
  <//>`;
}
