// The accounts: what they have, their nonces, and their keys when asked for.

import { control } from "./api.js";
import { amount, short } from "./format.js";
import { html, useMemo, useState } from "./lib.js";
import { Act, Badge, Part, Waiting } from "./parts.js";
import { useView } from "./store.js";

const KEYS = ["apiKey", "publicKeyX", "publicKeyY", "keySeed", "eddsaKey", "layer1Key"];

export function useTokens() {
  const { value } = useView("markets", ["command"], 5000);
  return useMemo(() => {
    const tokens = (value ?? []).flatMap(({ base, quote }) => [base, quote]);
    return new Map(tokens.map((token) => [token.symbol, token]));
  }, [value]);
}

export function Accounts() {
  const { value, error } = useView("accounts");
  const tokens = useTokens();
  const [areKeysShown, setKeysShown] = useState(false);
  if (!value) return html`<${Waiting} error=${error} />`;
  return html`
    <div class="bar"><label class="switch"><input type="checkbox" role="switch" checked=${areKeysShown}
      onChange=${(event) => setKeysShown(event.currentTarget.checked)} /> show the keys</label></div>
    <div class="cards">${value.map((account) => html`<${AccountCard} key=${account.accountId} account=${account} tokens=${tokens} areKeysShown=${areKeysShown} />`)}</div>`;
}

function AccountCard({ account, tokens, areKeysShown }) {
  const freeze = () => control("POST", `accounts/${account.accountId}/freeze`, { frozen: !account.frozen });
  return html`<${Part} title=${`${account.name} ${account.accountId}`} actions=${html`
      ${account.frozen && html`<${Badge} kind="bad">frozen<//>`}
      <${Act} run=${freeze}>${account.frozen ? "Unfreeze" : "Freeze"}<//>`}>
    <dl class="figures"><div><dt>owner</dt><dd><code title=${account.owner}>${short(account.owner)}</code></dd></div>
      <div><dt>key nonce</dt><dd>${account.keyNonce}</dd></div><div><dt>account nonce</dt><dd>${account.accountNonce}</dd></div></dl>
    <div class="scroll" tabindex="0" role="region" aria-label=${`Balances of ${account.name}`}>
    <table class="numbers"><thead><tr><th scope="col">token</th><th scope="col">free</th><th scope="col">frozen</th><th scope="col">in flight</th></tr></thead>
      <tbody>${Object.entries(account.balances).map(([symbol, balance]) => html`<tr key=${symbol}>
        <th scope="row">${symbol}</th>
        ${["free", "frozen", "inFlight"].map((name) => html`<td key=${name} class=${balance[name] === "0" ? "zero" : ""} title=${balance[name]}>${amount(balance[name], tokens.get(symbol)?.decimals ?? 0)}</td>`)}</tr>`)}</tbody></table></div>
    ${areKeysShown && html`<dl class="keys">${KEYS.map((name) => html`<div key=${name}><dt>${name}</dt><dd><code>${account[name] ?? "none"}</code></dd></div>`)}</dl>`}
  <//>`;
}
