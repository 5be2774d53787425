// Calls of the control API, and the stream of events. Nothing else of the page talks to the server.

const inWorld = location.pathname.match(/^\/w\/([^/]+)/);
/** The name of the world that the page shows; empty: the main relayer. */
export const world = inWorld ? decodeURIComponent(inWorld[1]) : "";
/** The path in front of the API of that world. */
export const worldRoot = inWorld ? inWorld[0] : "";
const SERVER = "/__mockrelay/";
const TOKEN = "mockrelay-token";
const RETRY_MS = 1000;

let token = sessionStorage.getItem(TOKEN) ?? "";
let isRemoved = false;
let askForToken = () => Promise.reject(new Error("nobody asks for the token"));
let asking = null;

/** The world is gone: from now on nothing is asked of it, which would make it anew. */
export function leaveWorld() {
  isRemoved = true;
}

/** `ask` shows a form, and resolves to the token that was given. */
export function onTokenNeeded(ask) {
  askForToken = ask;
}

/** A call that was refused: what is wrong, in which field, and what was meant. */
export class Refused extends Error {
  constructor(status, answer) {
    super(answer.meant ? `${answer.error}; meant: ${answer.meant}` : String(answer.error));
    this.status = status;
    this.field = answer.field;
  }
}

function headers(more = {}) {
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

async function newToken(refused) {
  // All calls that were refused for it wait for one answer.
  if (token !== refused) return;
  asking ??= askForToken(refused !== "").finally(() => {
    asking = null;
  });
  token = await asking;
  sessionStorage.setItem(TOKEN, token);
}

async function send(path, options) {
  for (;;) {
    const sent = token;
    const answer = await fetch(path, { cache: "no-store", ...options, headers: headers(options.headers) });
    if (answer.status !== 401) return answer;
    await newToken(sent);
  }
}

/** The JSON value of a control call's answer. Throws Refused, or TypeError where the server is not reached. */
export async function control(method, path, body, { ofServer = false } = {}) {
  if (isRemoved && !ofServer) throw new Error("this world was removed");
  const root = ofServer ? SERVER : `${worldRoot}${SERVER}`;
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const answer = await send(root + path, options);
  if (!answer.ok) throw new Refused(answer.status, await answer.json());
  // A record is JSON lines.
  return path === "dump" ? answer.text() : answer.json();
}

/**
 * Read the events for as long as the page is open: `onEvents` gets each batch, `onLink` whether the server is there.
 * It ends where `onLink` says so: to ask for a world that was removed would make it anew.
 */
export async function follow(onEvents, onLink) {
  let lastId = "";
  for (;;) {
    try {
      const answer = await send(`${worldRoot}${SERVER}events`, { headers: lastId ? { "Last-Event-ID": lastId } : {} });
      if (!answer.ok) throw new Refused(answer.status, await answer.json());
      onLink(true);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        rest += value;
        const blocks = rest.split("\n\n");
        rest = blocks.pop();
        const events = blocks.map(parsed).filter((event) => event !== null);
        if (events.length === 0) continue;
        lastId = events.at(-1).id;
        onEvents(events);
      }
    } catch (error) {
      if (error instanceof Refused && error.status < 500) throw error;
    }
    if (!onLink(false)) return;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

function parsed(block) {
  const fields = {};
  for (const line of block.split("\n")) {
    const at = line.indexOf(": ");
    if (at > 0) fields[line.slice(0, at)] = line.slice(at + 2);
  }
  return fields.data === undefined ? null : { id: fields.id, kind: fields.event, data: JSON.parse(fields.data) };
}
