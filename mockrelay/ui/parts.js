// Pieces that several panels are made of.

import { html, useEffect, useLayoutEffect, useRef, useState } from "./lib.js";

const OVERSCAN = 6;

/**
 * A list of which only the rows in view are drawn. One row is chosen with the arrow keys or by a click.
 * `row(item)` gives a row's cells, `keyOf(item)` its key.
 */
export function Rows({ items, keyOf, row, chosen, choose, label, columns, height = 34, empty = "nothing yet" }) {
  const box = useRef(null);
  const [top, setTop] = useState(0);
  const [inView, setInView] = useState(600);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(() => setInView(box.current?.clientHeight ?? 600));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(top / height) - OVERSCAN);
  const last = Math.min(items.length, Math.ceil((top + inView) / height) + OVERSCAN);
  const at = items.findIndex((item) => keyOf(item) === chosen);
  // Keys may come faster than the list is drawn.
  const latest = useRef(chosen);
  latest.current = chosen;
  const move = (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -items.length, End: items.length };
    const step = steps[event.key];
    if (step === undefined || items.length === 0) return;
    event.preventDefault();
    const from = items.findIndex((item) => keyOf(item) === latest.current);
    const next = from < 0 ? 0 : Math.min(items.length - 1, Math.max(0, from + step));
    latest.current = keyOf(items[next]);
    choose(latest.current);
    const element = box.current;
    if (next * height < element.scrollTop) element.scrollTop = next * height;
    const end = (next + 1) * height - element.clientHeight;
    if (end > element.scrollTop) element.scrollTop = end;
  };
  return html`
    <div class="rows" role="listbox" aria-label=${label} tabindex="0" ref=${box} onKeyDown=${move}
      onScroll=${(event) => setTop(event.currentTarget.scrollTop)}
      aria-activedescendant=${at < first || at >= last ? undefined : `row-${chosen}`}>
      ${items.length === 0 && html`<div class="empty" role="option" aria-selected="false" aria-disabled="true">${empty}</div>`}
      <div class="rows-all" role="presentation" style=${{ height: `${items.length * height}px` }}>
        ${items.slice(first, last).map((item, index) => {
          const key = keyOf(item);
          const offset = `translateY(${(first + index) * height}px)`;
          return html`<div key=${key} id=${`row-${key}`} class="row" role="option" aria-selected=${key === chosen}
            aria-setsize=${items.length} aria-posinset=${first + index + 1} onClick=${() => choose(key)}
            style=${{ transform: offset, height: `${height}px`, gridTemplateColumns: columns }}>${row(item)}</div>`;
        })}
      </div>
    </div>`;
}

/** A small label; `kind` gives its colour. */
export const Badge = ({ kind = "", title, children }) =>
  html`<span class=${`badge ${kind}`} title=${title}>${children}</span>`;

/** A button that does something at the server, waits for it, and says what went wrong. */
export function Act({ run, children, kind = "secondary", disabled = false, ...more }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const [isDone, setDone] = useState(false);
  const isThere = useRef(true);
  useEffect(() => () => { isThere.current = false; }, []);
  const act = async () => {
    setBusy(true);
    setError(null);
    try {
      await run();
      if (isThere.current) {
        setDone(true);
        setTimeout(() => isThere.current && setDone(false), 900);
      }
    } catch (wrong) {
      if (isThere.current) setError(wrong.message);
    }
    if (isThere.current) setBusy(false);
  };
  return html`<button type="button" class=${`${kind} ${isDone ? "done" : ""}`} aria-busy=${isBusy} disabled=${isBusy || disabled}
      onClick=${act} ...${more}>${children}</button>${error && html`<span class="wrong" role="alert">${error}</span>`}`;
}

/** A button that copies a text. */
export const Copy = ({ text, children }) =>
  html`<${Act} run=${() => copy(typeof text === "function" ? text() : text)}>${children}<//>`;

async function copy(text) {
  if (navigator.clipboard && window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** What a view has in place of a value. */
export const Waiting = ({ error }) =>
  error ? html`<p class="wrong" role="alert">${error.message}</p>` : html`<p class="empty" aria-busy="true">loading</p>`;

/** A part of a panel under a heading. */
export const Part = ({ title, actions, children, kind = "" }) => html`
  <section class=${`part ${kind}`} aria-label=${title}>
    <header><h2>${title}</h2>${actions && html`<div class="actions">${actions}</div>`}</header>
    ${children}
  </section>`;

/** A field with its label. */
export const Field = ({ label, children, hint }) =>
  html`<label class="field"><span>${label}${hint && html` <small>${hint}</small>`}</span>${children}</label>`;

/** A chosen text of a list. */
export const Choose = ({ label, value, options, onChange }) => html`
  <${Field} label=${label}>
    <select value=${value} onChange=${(event) => onChange(event.currentTarget.value)}>
      ${options.map((option) => {
        const [key, text] = Array.isArray(option) ? option : [option, option];
        return html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`;
      })}
    </select>
  <//>`;
