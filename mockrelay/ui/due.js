// What falls due next, on a line of time, and the scenario's timeline.

import { control } from "./api.js";
import { iso, moment, short, span } from "./format.js";
import { html } from "./lib.js";
import { Act, Badge, Part, Waiting } from "./parts.js";
import { useView } from "./store.js";

const subjectOf = ({ event, subject }) => {
  const [hash, state] = subject.split(" ");
  if (event === "request_moves") return `${short(hash)}, now ${state}`;
  return event === "timeline" ? `entry ${Number(subject) + 1}` : short(subject);
};

/** Events of one kind that are due at one time, as one with their number. */
function grouped(due) {
  const groups = new Map();
  for (const event of due) {
    const key = `${event.at_ms} ${event.event}`;
    const group = groups.get(key);
    if (group) group.count += 1;
    else groups.set(key, { ...event, count: 1 });
  }
  return [...groups.values()];
}

export function Due() {
  const { value, error } = useView("due?limit=200", ["moved", "due", "command", "call"], 700);
  const timeline = useView("timeline", ["command", "due"], 2000);
  if (!value) return html`<${Waiting} error=${error} />`;
  const { now_ms: now, due } = value;
  const groups = grouped(due);
  const longest = Math.max(1, ...groups.map(({ at_ms: at }) => Math.log1p(at - now)));
  return html`<div class="cards">
    <${Part} title="Due next" actions=${html`<span class="count">${value.total}</span>`}>
      ${due.length === 0 && html`<p class="empty">nothing is planned</p>`}
      <ol class="line">${groups.map((event) => html`<li key=${event.at_ms + event.event + event.subject}>
        <span class="dot" style=${{ left: `${(98 * Math.log1p(event.at_ms - now)) / longest}%` }}></span>
        <span class="text"><strong>in ${span(event.at_ms - now)}</strong> ${event.text}
          ${event.count > 1 ? html` <${Badge}>${event.count} times<//>` : html` <code title=${event.subject}>${subjectOf(event)}</code>`}
          <small><time>${moment(event.at_ms, now)}</time></small></span>
        <${Act} run=${() => control("POST", "clock", { set: iso(event.at_ms) })} aria-label=${`Set the clock to ${iso(event.at_ms)}`}>Go there<//>
      </li>`)}</ol>
    <//>
    <${Part} title="The scenario's timeline">
      ${timeline.value ? timeline.value.length === 0 ? html`<p class="empty">this scenario has none</p>` : html`
        <ol class="timeline">${timeline.value.map((entry, index) => html`<li key=${index} class=${entry.done ? "passed" : ""}>
          <time>${moment(entry.at_ms, now)}</time> <strong>${entry.command}</strong> <code>${JSON.stringify(entry.fields)}</code>
          ${entry.done && html` <${Badge} kind="good">done<//>`}</li>`)}</ol>` : html`<${Waiting} error=${timeline.error} />`}
    <//>
  </div>`;
}
