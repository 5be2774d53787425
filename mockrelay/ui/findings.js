// What was found about the client, and what of the specification it has met.

import { html } from "./lib.js";
import { Badge, Part, Waiting } from "./parts.js";
import { useView } from "./store.js";

export function Findings() {
  const { value, error } = useView("findings", ["finding", "call", "command"], 1000);
  const problems = useView("problems", ["finding", "call", "command"], 1500);
  if (!value) return html`<${Waiting} error=${error} />`;
  return html`<div class="cards">
    <${Part} title="Findings" actions=${html`<span class="count">${value.length}</span>`}>
      ${value.length === 0 && html`<p class="empty">nothing was found about the client</p>`}
      <ul class="findings">${value.map((finding, index) => html`<li key=${index}>
        <${Badge} kind=${finding.level}>${finding.level}<//> <strong>${finding.rule}</strong>
        ${finding.request ? html` <a href=${`#calls/${finding.request}`}>${finding.request}</a>` : html` <small>${finding.source}</small>`}
        <div>${finding.detail}</div><small>${finding.fix}</small></li>`)}</ul>
    <//>
    <${Part} title="Problems" actions=${html`<span class="count">${problems.value?.length ?? 0}</span>`}>
      ${problems.value?.length === 0 && html`<p class="empty">none</p>`}
      <ul class="findings">${(problems.value ?? []).map((problem, index) => html`<li key=${index}>
        <${Badge} kind="error">${problem.kind}<//> ${problem.request && html`<a href=${`#calls/${problem.request}`}>${problem.request}</a>`}
        <div>${problem.reason}</div>${problem.meant && html`<small>meant: ${problem.meant}</small>`}</li>`)}</ul>
    <//>
  </div>`;
}

export function Coverage() {
  const { value, error } = useView("coverage", ["call", "command"], 2000);
  if (!value) return html`<${Waiting} error=${error} />`;
  const { met, of } = value.total;
  return html`<${Part} title="Coverage" actions=${html`<span class="count">${met} of ${of}, ${percent(value.total.share)}</span>`}>
    <p class="note">What clients have met of the specification since this relayer was made. Each bar opens into what is missing, and how a client meets it.</p>
    ${Object.entries(value.kinds).map(([kind, { of: all, share, missing }]) => html`<details class="coverage" key=${kind}>
      <summary><span>${kind}</span><progress value=${all - missing.length} max=${all} aria-label=${kind}></progress>
        <span>${all - missing.length} of ${all}, ${percent(share)}</span></summary>
      <div class="scroll" tabindex="0" role="region" aria-label=${`Missing ${kind}`}>
      ${missing.length === 0 ? html`<p class="empty">all met</p>` : html`<table><thead><tr><th scope="col">missing</th><th scope="col">how to reach it</th></tr></thead>
        <tbody>${missing.map(({ name, what, how }) => html`<tr key=${name + what}><th scope="row"><code>${name}</code></th><td>${how || what}</td></tr>`)}</tbody></table>`}</div>
    </details>`)}
  <//>`;
}

const percent = (share) => `${(share <= 1 ? share * 100 : share).toFixed(0)} %`;
