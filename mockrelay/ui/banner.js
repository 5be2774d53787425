// What is shown above every panel: the world, how it is set up, and its clock.

import { control, world } from "./api.js";
import { iso } from "./format.js";
import { html, useEffect, useMemo, useState } from "./lib.js";
import { Act, Badge } from "./parts.js";
import { useLive, useView } from "./store.js";

const LINKS = { live: "live", lost: "no answer", removed: "removed", connecting: "connecting" };

export function Banner() {
  const { link } = useLive();
  const { value: state } = useView("state", ["command", "due"], 1000);
  return html`<header class="banner">
    <div class="who">
      <h1>mockrelay</h1>
      <${Worlds} />
      <span class=${`link ${link}`} role="status">${LINKS[link] ?? link}</span>
    </div>
    ${state && html`<${Setup} state=${state} />`}
    <${Clock} />
  </header>`;
}

function Worlds() {
  const { value } = useView("worlds", ["command"], 2000, { ofServer: true });
  const names = ["", ...(value ?? []).map(({ name }) => name)];
  if (!names.includes(world)) names.push(world);
  return html`<label class="worlds"><span class="label">world</span>
    <select value=${world} onChange=${(event) => {
      const name = event.currentTarget.value;
      location.assign(name === "" ? `/${location.hash}` : `/w/${encodeURIComponent(name)}/${location.hash}`);
    }}>
      ${names.map((name) => html`<option key=${name} value=${name} selected=${name === world}>${name || "main"}</option>`)}
    </select></label>`;
}

function Setup({ state }) {
  const [defaults, setDefaults] = useState(null);
  useEffect(() => {
    control("GET", "ui/choices.json", undefined, { ofServer: true }).then(setDefaults);
  }, []);
  const others = useMemo(
    () => (defaults === null ? [] : Object.entries(state.choices).filter(([key, option]) => defaults[key] !== option)),
    [state.choices, defaults],
  );
  return html`<dl class="setup">
    <div><dt>scenario</dt><dd>${state.scenario}</dd></div>
    <div><dt>profile</dt><dd>${state.profile}</dd></div>
    <div><dt>limits</dt><dd>${state.limits}</dd></div>
    <div><dt>choices</dt><dd>${others.length === 0
      ? "all default"
      : html`<details class="choices"><summary>${others.length} not default</summary>
          <ul>${others.map(([key, option]) => html`<li key=${key}><code>${key}</code> = <${Badge}>${option}<//></li>`)}</ul>
        </details>`}</dd></div>
  </dl>`;
}

const CLOCK = ["command"];

function Clock() {
  const { value, reload } = useView("clock", CLOCK, 150);
  const [now, setNow] = useState(null);
  const [text, setText] = useState("");
  const [rate, setRate] = useState("60");
  useEffect(() => {
    if (!value) return undefined;
    const read = performance.now();
    const show = () => setNow(value.now_ms + Math.floor(value.rate * (performance.now() - read)));
    show();
    if (value.rate === 0) return undefined;
    const timer = setInterval(show, 200);
    return () => clearInterval(timer);
  }, [value]);
  if (!value || now === null) return html`<section class="clock" aria-label="Clock" aria-busy="true"></section>`;
  const move = (fields) => async () => {
    await control("POST", "clock", fields);
    reload();
  };
  const block = async () => {
    const { due } = await control("GET", "due?limit=1000");
    const next = due.find(({ event }) => event === "block_seals");
    // Where no block is planned, one is sealed by hand.
    await (next ? control("POST", "clock", { set: iso(next.at_ms) }) : control("POST", "blocks/seal", {}));
    reload();
  };
  return html`<section class="clock" aria-label="Clock">
    <span class="now" role="timer" aria-label="The relayer's time">${iso(now - (now % 1000)).replace("T", " ").replace("Z", " UTC")}</span>
    <${Badge} kind=${value.rate === 0 ? "frozen" : "runs"}>${value.rate === 0 ? "frozen" : `× ${value.rate}`}<//>
    <div class="buttons">
      <${Act} run=${move({ advance: "1s" })}>+1 s<//>
      <${Act} run=${move({ advance: "15s" })}>+15 s<//>
      <${Act} run=${block}>+1 block<//>
      ${value.rate === 0
        ? html`<${Act} run=${move({ rate: 1 })}>Run<//>`
        : html`<${Act} run=${move({ rate: 0 })}>Freeze<//>`}
    </div>
    <details class="more"><summary>Set</summary>
      <div class="set">
        <label>time <input value=${text} placeholder=${iso(now - (now % 1000))} onInput=${(event) => setText(event.currentTarget.value)} /></label>
        <${Act} run=${move({ set: text || iso(now - (now % 1000) + 1000) })}>Set the time<//>
        <label>rate <input value=${rate} inputmode="decimal" onInput=${(event) => setRate(event.currentTarget.value)} /></label>
        <${Act} run=${move({ rate: Number(rate) })}>Set the rate<//>
      </div>
    </details>
  </section>`;
}
