// What the page knows: the calls so far, the link to the server, and views that are read anew when something has happened.

import { control, follow, leaveWorld } from "./api.js";
import { useEffect, useReducer, useState } from "./lib.js";

const CALLS_MAX = 10_000;
const HELD_MAX = 20;
const FIRST_CALLS = 500;
const ALWAYS = ["start", "gone"];

/** Changed in place; `useLive` draws anew. */
export const live = {
  calls: [],
  gone: 0,
  link: "connecting",
  /** When states moved: hash -> [{at_ms, to}]. */
  moves: new Map(),
};

const watchers = new Set();
const listeners = new Set();
let drawn = false;

function changed() {
  if (drawn) return;
  drawn = true;
  requestAnimationFrame(() => {
    drawn = false;
    for (const watcher of watchers) watcher();
  });
}

/** Draw the component anew whenever `live` has changed. */
export function useLive() {
  const [, draw] = useReducer((count) => count + 1, 0);
  useEffect(() => {
    watchers.add(draw);
    return () => watchers.delete(draw);
  }, []);
  return live;
}

function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Begin to follow the relayer. */
export function start() {
  follow(take, (isThere) => {
    if (live.link === "removed") return false;
    live.link = isThere ? "live" : "lost";
    changed();
    return true;
  }).catch((error) => {
    live.link = error.message;
    changed();
  });
}

function take(events) {
  for (const { kind, data } of events) {
    if (kind === "removed") {
      live.link = "removed";
      leaveWorld();
    } else if (kind === "start") {
      if (data.gone !== 0) live.calls = [];
      live.gone += data.gone ?? 0;
      loadCalls();
    } else if (kind === "gone") {
      live.gone += data.gone;
    } else if (kind === "call") {
      add(data);
    } else if (kind === "moved") {
      const moves = live.moves.get(data.hash) ?? [];
      moves.push({ at_ms: data.at_ms, to: data.to });
      live.moves.set(data.hash, moves);
    } else if (kind === "command" && ["reset", "load", "forget_requests"].includes(data.command)) {
      live.calls = [];
      if (data.command !== "forget_requests") live.moves.clear();
      if (data.command === "load") loadCalls();
    }
  }
  if (events.some(({ kind }) => kind === "command")) lookAtHeld();
  if (live.calls.length > CALLS_MAX) live.calls = live.calls.slice(-CALLS_MAX);
  for (const listener of listeners) listener(events);
  changed();
}

const numberOf = (call) => Number(call.id.slice(1));

function add(call) {
  const last = live.calls.at(-1);
  if (!last || numberOf(call) > numberOf(last)) live.calls.push(call);
}

/** Answers that were held may have been sent, since the clock was moved. */
async function lookAtHeld() {
  const held = live.calls.filter((call) => call.status === null && call.heldUntil_ms).slice(-HELD_MAX);
  for (const call of held) {
    const { status, code } = await control("GET", `requests/${call.id}`).catch(() => call);
    if (status !== null) Object.assign(call, { status, code });
  }
  if (held.length > 0) changed();
}

async function loadCalls() {
  const journal = await control("GET", `requests?last=${FIRST_CALLS}`).catch(() => null);
  if (journal === null) return;
  const first = live.calls.length ? numberOf(live.calls[0]) : Infinity;
  const earlier = journal.requests.filter((call) => numberOf(call) < first);
  live.calls = [...earlier.map(({ fault, ...call }) => ({ ...call, faults: fault ? [fault] : [] })), ...live.calls];
  changed();
}

/**
 * A view of the control API: `{value, error, reload}`. It is read when the path changes, and again when events of
 * these kinds have come, at most every `pauseMs`.
 */
export function useView(path, kinds = ["call", "moved", "due", "command"], pauseMs = 700, options = {}) {
  const [view, setView] = useState({ path: null });
  const [reads, reload] = useReducer((count) => count + 1, 0);
  useEffect(() => {
    if (path === null) return undefined;
    let isWanted = true;
    let isBusy = false;
    let isOver = false;
    const read = async () => {
      if (!isWanted || isBusy || isOver) return;
      isWanted = false;
      isBusy = true;
      let next;
      try {
        next = { path, value: await control("GET", path, undefined, options) };
      } catch (error) {
        next = { path, error };
      }
      if (!isOver) setView((before) => (next.error && before.path === path ? { ...before, error: next.error } : next));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      isBusy = false;
      read();
    };
    const end = listen((events) => {
      if (events.some(({ kind }) => kinds.includes(kind) || ALWAYS.includes(kind))) {
        isWanted = true;
        read();
      }
    });
    read();
    return () => {
      isOver = true;
      end();
    };
  }, [path, reads]);
  return view.path === path ? { ...view, reload } : { reload };
}
