// The page: its banner, its panels, and which of them is shown.

import { onTokenNeeded, world } from "./api.js";
import { Accounts } from "./accounts.js";
import { Banner } from "./banner.js";
import { Calls } from "./calls.js";
import { Coverage, Findings } from "./findings.js";
import { Faults } from "./faults.js";
import { html, render, useEffect, useRef, useState } from "./lib.js";
import { Markets } from "./markets.js";
import { Orders } from "./orders.js";
import { RecordBar } from "./record.js";
import { Blocks, Requests } from "./requests.js";
import { Snapshots } from "./snapshots.js";
import { live, start, useLive } from "./store.js";
import { Due } from "./due.js";

const PANELS = [
  ["calls", "Calls", Calls],
  ["markets", "Markets", Markets],
  ["accounts", "Accounts", Accounts],
  ["orders", "Orders", Orders],
  ["requests", "Requests", Requests],
  ["blocks", "Blocks", Blocks],
  ["due", "Due", Due],
  ["faults", "Faults", Faults],
  ["findings", "Findings", Findings],
  ["coverage", "Coverage", Coverage],
  ["snapshots", "Snapshots", Snapshots],
];

function placeOf(hash) {
  const [name, ...rest] = decodeURIComponent(hash.slice(1)).split("/");
  return { name: PANELS.some(([id]) => id === name) ? name : "calls", rest: rest.join("/") };
}

function App() {
  const [place, setPlace] = useState(placeOf(location.hash));
  const [asked, setAsked] = useState(null);
  useLive();
  useEffect(() => {
    const move = () => setPlace(placeOf(location.hash));
    addEventListener("hashchange", move);
    onTokenNeeded((wasWrong) => new Promise((resolve) => setAsked({ wasWrong, resolve })));
    document.title = world ? `${world} · mockrelay` : "mockrelay";
    start();
    return () => removeEventListener("hashchange", move);
  }, []);
  const [, title, Panel] = PANELS.find(([id]) => id === place.name);
  if (asked !== null) {
    return html`<${TokenForm} wasWrong=${asked.wasWrong} give=${(token) => {
      setAsked(null);
      asked.resolve(token);
    }} />`;
  }
  return html`
    <a class="skip" href="#panel" onClick=${(event) => {
      event.preventDefault();
      document.getElementById("panel").focus();
    }}>to the panel</a>
    <${Banner} />
    <${RecordBar} />
    ${live.link === "lost" && html`<p class="lost" role="alert">The server does not answer. What you see is how it was; the page goes on when it is back.</p>`}
    ${live.link === "removed" && html`<p class="lost" role="alert">This world was removed. What you see is how it was; to load the page again makes it anew.</p>`}
    <nav class="panels" aria-label="Panels"><ul>
      ${PANELS.map(([id, name]) => html`<li key=${id}><a href=${`#${id}`} aria-current=${id === place.name ? "page" : undefined}>${name}</a></li>`)}
    </ul></nav>
    <main id="panel" tabindex="-1" aria-label=${title}><${Panel} key=${place.name} rest=${place.rest} /></main>`;
}

function TokenForm({ wasWrong, give }) {
  const field = useRef(null);
  useEffect(() => field.current.focus(), []);
  return html`<main class="token">
    <form onSubmit=${(event) => {
      event.preventDefault();
      give(field.current.value.trim());
    }}>
      <h1>mockrelay</h1>
      <label>The token that the server was started with (<code>--token</code>)
        <input ref=${field} type="password" autocomplete="off" required aria-invalid=${wasWrong ? "true" : undefined} />
      </label>
      ${wasWrong && html`<p class="wrong" role="alert">The server has another token.</p>`}
      <button type="submit">Show the relayer</button>
    </form>
  </main>`;
}

render(html`<${App} />`, document.getElementById("app"));
