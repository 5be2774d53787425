// Snapshots: take one, return to it, and compare two.

import { control } from "./api.js";
import { iso } from "./format.js";
import { html, useState } from "./lib.js";
import { Act, Choose, Field, Part, Waiting } from "./parts.js";
import { useView } from "./store.js";

const PRESENT = "";
const SHOWN = 300;

export function Snapshots() {
  const { value, error } = useView("snapshots", ["command"], 500);
  const [name, setName] = useState("");
  if (!value) return html`<${Waiting} error=${error} />`;
  const names = value.map((snapshot) => snapshot.name);
  const free = () => {
    let number = names.length + 1;
    while (names.includes(`snapshot-${number}`)) number += 1;
    return `snapshot-${number}`;
  };
  return html`<div class="two">
    <${Part} title="Snapshots" kind="list">
      <form class="inline" onSubmit=${(event) => event.preventDefault()}>
        <${Field} label="name"><input value=${name} placeholder=${free()} onInput=${(event) => setName(event.currentTarget.value)} /><//>
        <${Act} kind="primary" run=${() => control("POST", "snapshots", { name: name || free() }).then(() => setName(""))}>Take one<//>
      </form>
      ${value.length === 0 && html`<p class="empty">none yet</p>`}
      <ul class="snapshots">${value.map((snapshot) => html`<li key=${snapshot.name}>
        <strong>${snapshot.name}</strong> <small>${snapshot.scenario}, ${iso(snapshot.now_ms)}</small>
        <${Act} run=${() => control("POST", `snapshots/${encodeURIComponent(snapshot.name)}/restore`)} aria-label=${`Restore ${snapshot.name}`}>Restore<//>
        <${Act} run=${() => control("DELETE", `snapshots/${encodeURIComponent(snapshot.name)}`)} aria-label=${`Delete ${snapshot.name}`}>Delete<//></li>`)}</ul>
    <//>
    <${Compare} names=${names} />
  </div>`;
}

function Compare({ names }) {
  const [one, setOne] = useState(null);
  const [other, setOther] = useState(PRESENT);
  const [found, setFound] = useState(null);
  const first = names.includes(one) ? one : names[0];
  const options = [[PRESENT, "the present state"], ...names];
  if (names.length === 0) return html`<${Part} title="Compare" kind="detail"><p class="empty">Take a snapshot first.</p><//>`;
  const compare = async () => {
    const record = (await control("GET", "dump")).trim().split("\n").map((line) => JSON.parse(line));
    const state = record.find(({ kind }) => kind === "state");
    const worlds = new Map([[PRESENT, state.world], ...state.snapshots.map((snapshot) => [snapshot.snapshot, snapshot.world])]);
    setFound([...differences(worlds.get(first), worlds.get(other), "")]);
  };
  return html`<${Part} title="Compare" kind="detail">
    <form class="inline" onSubmit=${(event) => event.preventDefault()}>
      <${Choose} label="what differs between" value=${first} options=${names} onChange=${setOne} />
      <${Choose} label="and" value=${other} options=${options} onChange=${setOther} />
      <${Act} kind="primary" run=${compare}>Compare<//>
    </form>
    ${found && (found.length === 0 ? html`<p class="empty">nothing</p>` : html`
      <div class="scroll" tabindex="0" role="region" aria-label="Differences">
      <table class="diff"><thead><tr><th scope="col">where</th><th scope="col">${first}</th><th scope="col">${other || "now"}</th></tr></thead>
        <tbody>${found.slice(0, SHOWN).map(([where, was, now]) => html`<tr key=${where}><th scope="row"><code>${where}</code></th><td>${text(was)}</td><td>${text(now)}</td></tr>`)}</tbody></table></div>
      ${found.length > SHOWN && html`<p class="note">the first ${SHOWN} of ${found.length}</p>`}`)}
  <//>`;
}

const text = (value) => {
  const whole = value === undefined ? "" : JSON.stringify(value);
  return whole.length > 90 ? `${whole.slice(0, 90)}…` : whole;
};

/** Where two JSON values differ. */
function* differences(was, now, at) {
  const areObjects = [was, now].every((value) => value !== null && typeof value === "object");
  if (!areObjects) {
    if (was !== now) yield [at, was, now];
    return;
  }
  for (const name of new Set([...Object.keys(was), ...Object.keys(now)])) {
    yield* differences(was[name], now[name], at ? `${at}.${name}` : name);
  }
}
