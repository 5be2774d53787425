// Stepping through a record, where the server shows one (`mockrelay ui`).

import { control } from "./api.js";
import { moment } from "./format.js";
import { html, useEffect, useRef, useState } from "./lib.js";
import { Act } from "./parts.js";

const isRecord = document.documentElement.dataset.record !== undefined;

export function RecordBar() {
  const [record, setRecord] = useState(null);
  const present = useRef(null);
  const wanted = useRef(null);
  useEffect(() => {
    if (isRecord) control("GET", "record", undefined, { ofServer: true }).then(setRecord);
  }, []);
  present.current = record;
  const goTo = async (position) => {
    const { positions } = present.current;
    const isBusy = wanted.current !== null;
    wanted.current = Math.min(positions.length - 1, Math.max(0, position));
    setRecord((before) => ({ ...before, position: wanted.current }));
    if (isBusy) return;
    // While the server moves, only the last of the positions asked for counts.
    for (let asked = null; asked !== wanted.current; ) {
      asked = wanted.current;
      await control("POST", "record", { position: asked }, { ofServer: true });
    }
    wanted.current = null;
  };
  useEffect(() => {
    const step = (event) => {
      const by = { "[": -1, "]": 1 }[event.key];
      if (by === undefined || present.current === null || event.target.closest("input:not([type=range]), textarea, select")) return;
      goTo(present.current.position + by);
    };
    addEventListener("keydown", step);
    return () => removeEventListener("keydown", step);
  }, []);
  if (record === null) return null;
  const { position, positions } = record;
  const { text, at_ms: at, line } = positions[position];
  const last = positions.length - 1;
  return html`<section class="record" aria-label="Record">
    <${Act} run=${() => goTo(0)} disabled=${position === 0}>First<//>
    <${Act} run=${() => goTo(position - 1)} disabled=${position === 0} title="[">Back<//>
    <${Act} run=${() => goTo(position + 1)} disabled=${position === last} title="]">Forward<//>
    <${Act} run=${() => goTo(last)} disabled=${position === last}>Last<//>
    <input type="range" min="0" max=${last} value=${position} aria-label="Position in the record"
      aria-valuetext=${`${position} of ${last}: ${text}`} onInput=${(event) => goTo(Number(event.currentTarget.value))} />
    <span class="step"><strong>${position} of ${last}</strong> line ${line}, <time>${moment(at)}</time>: ${text}</span>
  </section>`;
}
