// The calls as they come, and why each was answered so.

import { control, worldRoot } from "./api.js";
import { asCurl, asFault, asTest } from "./copying.js";
import { json, moment } from "./format.js";
import { html, useMemo, useRef, useEffect, useState } from "./lib.js";
import { Badge, Copy, Part, Rows, Waiting } from "./parts.js";
import { useLive, useView } from "./store.js";

const COLUMNS = "4.2em 6.6em minmax(9em, 1fr) 5.2em minmax(0, 9em)";
const KINDS = [
  ["", "all calls"],
  ["refused", "refused"],
  ["fault", "with a fault"],
  ["finding", "with a finding"],
];

const isRefused = (call) => call.code !== 0 || call.status === null || call.status >= 400;
const TESTS = {
  "": () => true,
  refused: isRefused,
  fault: (call) => (call.faults ?? []).length > 0,
  finding: (call) => (call.findings ?? []).length > 0,
};

export function Calls({ rest }) {
  const { calls, gone } = useLive();
  const [text, setText] = useState("");
  const [kind, setKind] = useState("");
  const { value: accounts } = useView("accounts", ["command"], 1500);
  const names = useMemo(() => new Map((accounts ?? []).map((one) => [one.accountId, one.name])), [accounts]);
  const filter = useRef(null);
  useEffect(() => {
    const focus = (event) => {
      if (event.key !== "/" || event.target.closest("input, select, textarea")) return;
      event.preventDefault();
      filter.current?.focus();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = calls
    .filter((call) => {
      if (!TESTS[kind](call)) return false;
      const whole = `${call.id} ${call.method} ${call.target} ${call.endpoint} ${call.code} ${names.get(call.accountId) ?? ""} ${(call.findings ?? []).join(" ")}`.toLowerCase();
      return words.every((word) => whole.includes(word));
    })
    .reverse();
  return html`<div class="two">
    <${Part} title="Calls" kind="list" actions=${html`
        <input ref=${filter} type="search" aria-label="Filter the calls" placeholder="filter  ( / )" value=${text}
          onInput=${(event) => setText(event.currentTarget.value)} />
        <select aria-label="Which calls" value=${kind} onChange=${(event) => setKind(event.currentTarget.value)}>
          ${KINDS.map(([key, name]) => html`<option key=${key} value=${key}>${name}</option>`)}
        </select>
        <span class="count">${shown.length === calls.length ? calls.length : `${shown.length} of ${calls.length}`}</span>`}>
      ${gone > 0 && html`<p class="note">${gone} events came too fast or too early to be shown here.</p>`}
      <${Rows} items=${shown} keyOf=${(call) => call.id} chosen=${rest} label="Calls, newest first" columns=${COLUMNS}
        choose=${(id) => location.replace(`#calls/${id}`)} empty="no call yet: point a client at this server"
        row=${(call) => html`<${CallCells} call=${call} name=${names.get(call.accountId)} />`} />
    <//>
    ${rest ? html`<${Why} id=${rest} accounts=${accounts ?? []} />` : html`<${Nothing} />`}
  </div>`;
}

function CallCells({ call, name }) {
  const faults = call.faults ?? [];
  const findings = call.findings ?? [];
  return html`
    <span class="id">${call.id}</span>
    <time>${moment(call.at_ms).slice(0, 8)}</time>
    <span class="what" title=${`${call.method} ${call.target}`}><small>${call.method}</small> ${call.endpoint ?? call.target}</span>
    <${Badge} kind=${isRefused(call) ? "bad" : "good"}>${call.code ?? call.status ?? (call.heldUntil_ms ? "held" : "none")}<//>
    <span class="badges">${name ?? call.accountId ?? ""}
      ${faults.length > 0 && html` <${Badge} kind="fault" title=${`fault ${faults.join(", ")}`}>fault<//>`}
      ${findings.length > 0 && html` <${Badge} kind="finding" title=${findings.join(", ")}>${findings.length === 1 ? "finding" : `${findings.length} findings`}<//>`}</span>`;
}

const Nothing = () => html`<${Part} title="Why" kind="detail"><p class="empty">Choose a call to see why it was answered so. The arrow keys move in the list, <kbd>/</kbd> filters.</p><//>`;

function Why({ id, accounts }) {
  const why = useView(`why/${encodeURIComponent(id)}`, ["command"], 1500);
  const call = useView(`requests/${encodeURIComponent(id)}`, ["command"], 1500);
  const { value: health } = useView("health", ["command"], 2000);
  const [areKeysShown, setKeysShown] = useState(false);
  if (!why.value || !call.value) return html`<${Part} title=${`Why ${id}`} kind="detail"><${Waiting} error=${why.error ?? call.error} /><//>`;
  const account = accounts.find((one) => one.accountId === call.value.accountId);
  const from = { call: call.value, account, areKeysShown, scenario: health?.scenario ?? "default", url: `${location.origin}${worldRoot}` };
  return html`<${Part} title=${`Why ${id}`} kind="detail" actions=${html`
      <${Copy} text=${() => asCurl(from)}>Copy as curl<//>
      <${Copy} text=${() => asTest(from)}>Copy as a test<//>
      <${Copy} text=${() => asFault(from)}>Copy as a fault<//>
      <label class="switch"><input type="checkbox" role="switch" checked=${areKeysShown} onChange=${(event) => setKeysShown(event.currentTarget.checked)} /> with keys</label>`}>
    <ol class="story">${why.value.story.map((line, index) => html`<li key=${index}>${line}</li>`)}</ol>
    <${Gate} why=${why.value} />
    ${why.value.findings.length > 0 && html`<h3>Findings</h3>
      <ul class="findings">${why.value.findings.map((finding) => html`<li key=${finding.rule + finding.detail}>
        <${Badge} kind=${finding.level}>${finding.rule}<//> ${finding.detail}<br /><small>${finding.fix}</small></li>`)}</ul>`}
    <h3>Request</h3>
    <pre tabindex="0" aria-label="Request">${`${call.value.method} ${call.value.target}\n${Object.entries(call.value.headers).map(([key, value]) => `${key}: ${value}`).join("\n")}${call.value.body === null ? "" : `\n\n${typeof call.value.body === "string" ? call.value.body : json(call.value.body)}`}`}</pre>
    <h3>Answer <small>${call.value.summary}</small></h3>
    <pre tabindex="0" aria-label="Answer">${call.value.answer === null ? "none" : typeof call.value.answer === "string" ? call.value.answer : json(call.value.answer)}</pre>
  <//>`;
}

const Gate = ({ why }) => html`<ol class="gate" aria-label="Steps">
  ${why.gate.map(({ step, outcome, detail }) => html`<li key=${step} class=${outcome.replace(" ", "-")} title=${detail}>
    <span>${step}</span><small>${outcome}</small></li>`)}
</ol>`;
