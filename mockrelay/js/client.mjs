/**
 * A client of mockrelay for tests in JavaScript and TypeScript: relayers, each in a world of its own, and fixtures for
 * node:test, Vitest, Jest, Mocha and Playwright. It needs nothing but `fetch`; `spawn` needs Node.
 *
 * Written by `mockrelay client js`; the same file is served at `/__mockrelay/client.mjs`.
 *
 * @module
 */

/**
 * A clock that runs in real time, stands still, or runs at a rate (relayer seconds per real second); with `start`, from
 * that moment on.
 * @typedef {"real" | "frozen" | number | { rate: number, start: string }} ClockStart
 */
/**
 * How a relayer starts: `scenario` is the name of a packaged one, or what a file has (`{"extends": "default", "faults": […]}`),
 * `scenarioText` a whole scenario as YAML or JSON.
 * @typedef {object} Start
 * @property {string | object} [scenario]
 * @property {string} [scenarioText]
 * @property {"spec" | "live"} [profile]
 * @property {Record<string, string | number>} [choices] options of choices: `{"http.error_status": "400"}`
 * @property {ClockStart} [clock] by default it stands still, at the second at which the test began
 * @property {"spec" | "off" | Record<string, number | "none">} [limits] by default `off`; calls a second by endpoint
 */
/**
 * @typedef {object} OwnOptions
 * @property {string} [name] the name of a world that is kept, such as `workerName()`; by default a new one, removed at the end
 * @property {boolean} [strict] whether all findings fail a test
 * @property {string | string[]} [allow] kinds of problems and rules of findings that fail no test
 * @property {Server} [server] by default that of `connect()`
 */
/** @typedef {Start & OwnOptions} RelayerOptions */
/** @typedef {{ command?: string, args?: string[], token?: string }} SpawnOptions */
/** @typedef {{ free: string, frozen: string, inFlight: string }} Balance an amount in the smallest unit */
/** @typedef {{ kind: string, request: string | null, reason: string, meant: string | null }} Problem */
/**
 * @typedef {object} Finding
 * @property {string} rule
 * @property {string | null} request the id of the call
 * @property {string} source what brought it about: a `call`, `timeline entry 3`, `command advance`
 * @property {string} detail
 * @property {"error" | "warning" | "note"} level
 * @property {boolean} fails whether it fails a test
 * @property {string} fix
 */
/** @typedef {{ times?: number, atLeast?: number, atMost?: number, body?: object, query?: object, code?: number }} Expected */
/**
 * Which calls a fault is for, and its one effect (the guide's page on faults).
 * @typedef {object} FaultFields
 * @property {string} [name]
 * @property {number} [code]
 * @property {string} [message]
 * @property {number} [status]
 * @property {string} [body]
 * @property {string} [delay]
 * @property {boolean} [drop]
 * @property {string} [hold]
 * @property {string} [outcome]
 * @property {string} [layer1]
 * @property {boolean} [rate_limit]
 * @property {string} [disconnect]
 * @property {string} [push]
 * @property {number} [refuse]
 * @property {Record<string, unknown>} [when]
 * @property {number} [nth]
 * @property {number} [times]
 * @property {"before" | "instead" | "after"} [at]
 */
/** @typedef {(path: string, method?: string, body?: unknown) => Promise<any>} Control */

const ROOT = "/__mockrelay/";
const TIMEOUT_MS = 30_000;
const SHOWN_PER_RULE = 3;
const MEANT_TO_START = "meant: mockrelay on the PATH, its path in MOCKRELAY_COMMAND, or the address of a server in MOCKRELAY_URL";
const REQUEST_ID = "X-Mockrelay-Request-Id";
const LISTENING = /^mockrelay listening on (\S+)$/m;
// Taken before a test puts something else into its place.
const send = globalThis.fetch;
/** @type {Record<string, string | undefined>} */
const environment = globalThis.process?.env ?? {};

/** A control call that was refused: what is wrong, in which field, and what was meant. */
export class ControlError extends Error {
  /** @param {number} status @param {{ error: string, field?: string | null, meant?: string | null }} refusal */
  constructor(status, { error, field, meant }) {
    const where = field && !error.startsWith(`${field}: `) ? ` (${field})` : "";
    super(meant ? `${error}${where}; meant: ${meant}` : `${error}${where}`);
    this.name = "ControlError";
    this.status = status;
    this.field = field ?? null;
    this.meant = meant ?? null;
  }
}

/** What a relayer met that fails a test: problems, findings of rules that fail tests, calls that were not made. */
export class RelayerError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "RelayerError";
  }
}

/** A server of mockrelay. `attach`, `spawn` and `connect` make one. */
export class Server {
  /** @param {string} url @param {string} [token] @param {() => Promise<void>} [stop] */
  constructor(url, token, stop) {
    /** Its address, without a slash at the end. */
    this.url = url.replace(/\/+$/, "");
    this.token = token;
    this.#stop = stop;
  }

  /** @type {(() => Promise<void>) | undefined} */
  #stop;

  /**
   * Make a control call; `path` is what follows `/__mockrelay/`, with its query.
   * @param {string} path @param {string} [method] @param {unknown} [body] @param {string} [base]
   * @returns {Promise<any>}
   */
  async control(path, method = "GET", body = undefined, base = this.url) {
    if (!send) throw new Error("there is no fetch here; in Jest: @jest-environment node");
    /** @type {Record<string, string>} */
    const headers = { "Content-Type": "application/json" };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const sent = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    const answer = await send(`${base}${ROOT}${path}`, { method, headers, body: sent, signal }).catch((error) => {
      throw new Error(`there is no answer from ${base} (MOCKRELAY_URL, or the server that was started): ${error.message}`);
    });
    const text = await answer.text();
    const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
    if (!answer.ok) throw new ControlError(answer.status, isJson ? JSON.parse(text) : { error: text });
    return isJson ? JSON.parse(text) : text;
  }

  /**
   * A relayer in a world of its own.
   * @param {RelayerOptions} [options]
   */
  async relayer(options = {}) {
    const relayer = new Relayer(this, options);
    // A world that is kept may be there already.
    await this.control(`worlds/${relayer.name}`, "POST").catch((error) => {
      if (!relayer.isKept || !(error instanceof ControlError) || error.status !== 409) throw error;
    });
    try {
      await relayer.reset();
    } catch (error) {
      await relayer.end();
      throw error;
    }
    return relayer;
  }

  /** Stop the server, if `spawn` started it. */
  async close() {
    await this.#stop?.();
  }
}

/**
 * The server at an address, by default at `MOCKRELAY_URL`; its token by default `MOCKRELAY_TOKEN`.
 * @param {{ url?: string, token?: string }} [where]
 */
export async function attach({ url = environment.MOCKRELAY_URL, token = environment.MOCKRELAY_TOKEN } = {}) {
  if (!url) throw new Error("attach needs the address of a server: { url }, or MOCKRELAY_URL");
  const server = new Server(url, token);
  await server.control("health");
  return server;
}

/**
 * Start a server on a free port. It ends with `close()`, or with this process.
 *
 * `command` is `mockrelay` (or `MOCKRELAY_COMMAND`), `args` are further options of `mockrelay serve`.
 * @param {SpawnOptions} [options]
 * @returns {Promise<Server>}
 */
export async function spawn({
  command = environment.MOCKRELAY_COMMAND ?? "mockrelay",
  args = [],
  token = environment.MOCKRELAY_TOKEN,
} = {}) {
  const { spawn: start } = await import("node:child_process");
  const child = start(command, ["serve", "--port", "0", "--stop-at-eof", ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: token ? { ...environment, MOCKRELAY_TOKEN: token } : environment,
  });
  const { stdin, stdout, stderr } = child;
  let output = "";
  const ended = new Promise((resolve) => child.once("exit", resolve));
  /** @type {string} */
  const url = await new Promise((resolve, reject) => {
    /** @param {Buffer} piece */
    const read = (piece) => {
      output += piece;
      const found = LISTENING.exec(output);
      if (found) resolve(found[1]);
    };
    stdout.on("data", read);
    stderr.on("data", read);
    child.once("error", (error) => reject(new Error(`${command} cannot be started: ${error.message}; ${MEANT_TO_START}`)));
    child.once("close", (code) => {
      reject(new Error(`${command} serve ended with ${code} before it listened; ${MEANT_TO_START}\n${output}`));
    });
  });
  stdout.removeAllListeners("data").resume();
  stderr.removeAllListeners("data").resume();
  // An open child would keep this process alive.
  for (const part of [child, stdin, stdout, stderr]) /** @type {any} */ (part).unref();
  return new Server(url, token, async () => {
    child.ref();
    stdin.end();
    await ended;
  });
}

/**
 * The server of this process: the one at `MOCKRELAY_URL`, or else one that is started at the first call.
 * @returns {Promise<Server>}
 */
export function connect() {
  const shared = /** @type {any} */ (globalThis);
  return (shared[SHARED] ??= environment.MOCKRELAY_URL ? attach() : spawn());
}
const SHARED = Symbol.for("mockrelay.server");

/**
 * Start a server for a whole run: as `globalSetup` of Vitest, Jest or Playwright. A server at `MOCKRELAY_URL` is used as
 * it is.
 */
export default async function globalSetup() {
  if (environment.MOCKRELAY_URL) {
    await attach();
    return async () => {};
  }
  const server = await spawn();
  environment.MOCKRELAY_URL = server.url;
  return async () => {
    delete environment.MOCKRELAY_URL;
    await server.close();
  };
}

/** The name of the present worker of the test runner, for a world that its tests share one after the other. */
export function workerName() {
  const id = environment.JEST_WORKER_ID ?? environment.VITEST_POOL_ID ?? environment.TEST_PARALLEL_INDEX;
  return `worker-${id ?? environment.MOCHA_WORKER_ID ?? globalThis.process?.pid ?? 0}`;
}

/** A relayer under a test's control. Amounts are texts in the smallest unit; durations have units (`15s`, `1h30m`). */
export class Relayer {
  /** @param {Server} server @param {RelayerOptions} [options] */
  constructor(server, { name, strict = false, allow = [], server: _, ...start } = {}) {
    this.server = server;
    this.isKept = name !== undefined;
    this.name = name ?? `${workerName()}-${Math.random().toString(36).slice(2)}`;
    /** The address for the client under test. */
    this.url = `${server.url}/w/${this.name}`;
    this.strict = strict;
    this.allow(...[allow].flat());
    this.#start = { clock: "frozen", limits: "off", ...start };
    /** The relayer's clock. */
    this.clock = new Clock(this.control);
  }

  /** @type {Set<string>} */
  #allowed = new Set();
  /** @type {Start} */
  #start;
  /** @type {string[]} */
  #fromBeforeReset = [];

  /**
   * Make a control call of this relayer (the guide's page on the control API).
   * @type {Control}
   */
  control = (path, method = "GET", body = undefined) => this.server.control(path, method, body, this.url);

  /** The account with a name or an id. @param {string | number} who */
  async account(who) {
    return new Account(this, await this.control(`accounts/${word(who)}`));
  }

  /** All accounts, in the scenario's order. */
  async accounts() {
    /** @type {any[]} */
    const views = await this.control("accounts");
    return views.map((view) => new Account(this, view));
  }

  /**
   * Arm a fault on an endpoint: `fault("submit_order", { code: 102014 })`. It must fire before the test ends.
   * @param {string} endpoint @param {FaultFields} fields
   */
  async fault(endpoint, fields) {
    const { id } = await this.control("faults", "POST", { on: endpoint, ...fields });
    return new Fault(this, id);
  }

  /** Set choices to other options; all choices with their present options. @param {Record<string, string | number>} [changes] */
  async choices(changes) {
    /** @type {Record<string, string>} */
    const choices = await (changes ? this.control("choices", "PUT", changes) : this.control("choices"));
    return choices;
  }

  /** Seal blocks of the pending transactions; their ids. */
  async sealBlocks(count = 1) {
    /** @type {number[]} */
    const ids = (await this.control("blocks/seal", "POST", { count })).blockIds;
    return ids;
  }

  /** The snapshot with a name is taken now. @param {string} name */
  async snapshot(name) {
    await this.control("snapshots", "POST", { name });
  }

  /** Return to a snapshot. @param {string} name */
  async restore(name) {
    await this.control(`snapshots/${word(name)}/restore`, "POST");
  }

  /** The whole state. */
  state() {
    return this.control("state");
  }

  /**
   * The calls that were made, oldest first; keys and signatures are masked.
   * @param {{ last?: number, endpoint?: string }} [which]
   * @returns {Promise<any[]>}
   */
  async requests(which = {}) {
    const query = new URLSearchParams(Object.entries(which).map(([name, value]) => [name, String(value)]));
    return (await this.control(`requests?${query}`)).requests;
  }

  /** Empty the journal, so that assertions count from here. */
  async forgetRequests() {
    await this.control("requests", "DELETE");
  }

  /** Why a call was answered as it was: by its id, or by its answer. @param {string | Response} call */
  why(call) {
    return this.control(`why/${typeof call === "string" ? word(call) : call.headers.get(REQUEST_ID)}`);
  }

  /**
   * Throws, with the nearest calls, unless an endpoint was called with these fields as often as given (at least once).
   * @param {string} endpoint @param {Expected} [expected]
   */
  async assertCalled(endpoint, expected = {}) {
    await this.verify({ endpoint, ...expected });
  }

  /** Throws if an endpoint was called with these fields. @param {string} endpoint @param {Pick<Expected, "body" | "query" | "code">} [fields] */
  async assertNotCalled(endpoint, fields = {}) {
    await this.verify({ endpoint, ...fields, times: 0 });
  }

  /** Throws unless these endpoints were called in this order; others may come in between. @param {string[]} endpoints */
  async assertSequence(...endpoints) {
    await this.verify({ sequence: endpoints });
  }

  /** `POST verify` of the control API; throws where the calls were not made. @param {({ endpoint: string } & Expected) | { sequence: string[] }} expected */
  async verify(expected) {
    try {
      await this.control("verify", "POST", expected);
    } catch (error) {
      if (error instanceof ControlError && error.status === 409) throw new RelayerError(error.message);
      throw error;
    }
  }

  /** What the client did wrong since the last reset. @returns {Promise<Finding[]>} */
  findings() {
    return this.control("findings");
  }

  /** Unknown paths, faults that never fired, failures. @returns {Promise<Problem[]>} */
  problems() {
    return this.control("problems");
  }

  /** Let kinds of problems, rules of findings, `finding` (all findings) or `all` fail no test. @param {string[]} kinds */
  allow(...kinds) {
    // Reports write the kinds of problems with hyphens.
    for (const kind of kinds) this.#allowed.add(kind).add(kind.replaceAll("-", "_"));
  }

  /** A sentence for each problem and each finding that fails a test, those from before a reset too. */
  async unexpected() {
    /** @param {string} kind */
    const fails = (kind) => !this.#allowed.has("all") && !this.#allowed.has(kind);
    const sentences = [...this.#fromBeforeReset];
    for (const { kind, request, reason, meant } of await this.problems()) {
      const isAllowed = !fails(kind) || (kind === "unknown_path" && !fails("foreign-path"));
      const call = request ? ` [${request}]` : "";
      if (!isAllowed) sentences.push(`${kind}${call}: ${reason}${meant ? `; meant: ${meant}` : ""}`);
    }
    for (const finding of fails("finding") ? await this.findings() : []) {
      // A foreign path is a problem too.
      if (finding.rule === "foreign-path" || !(finding.fails || this.strict) || !fails(finding.rule)) continue;
      sentences.push(`${finding.rule} [${finding.request ?? finding.source}]: ${finding.detail}; fix: ${finding.fix}`);
    }
    return sentences;
  }

  /** Throws for the problems and findings that fail a test. */
  async check() {
    const sentences = await this.unexpected();
    if (sentences.length) throw new RelayerError(failureMessage(sentences));
  }

  /** Start anew, as it was made or otherwise. Problems from before still fail the test. @param {Start} [start] */
  async reset(start = {}) {
    this.#fromBeforeReset = this.isOpen ? await this.unexpected() : [];
    /** @type {Start} */
    const fields = { ...this.#start, ...start };
    if (start.scenario !== undefined) delete fields.scenarioText;
    if (start.scenarioText !== undefined) delete fields.scenario;
    if (typeof fields.scenario === "object") {
      fields.scenarioText = JSON.stringify({ format: 1, ...fields.scenario });
      delete fields.scenario;
    }
    await this.control("reset", "POST", fields);
    this.isOpen = true;
  }

  /** Whether it has been started. */
  isOpen = false;

  /** Remove the relayer's world, unless it was given a name. */
  async end() {
    if (!this.isKept) await this.server.control(`worlds/${this.name}`, "DELETE");
  }
}

/** An account as a test reads and changes it. */
export class Account {
  /** @param {Relayer} relayer @param {any} view */
  constructor(relayer, view) {
    this.relayer = relayer;
    /** @type {number} */
    this.id = view.accountId;
    /** @type {string} */
    this.name = view.name;
    /** @type {string} */
    this.owner = view.owner;
    /** @type {string} */
    this.apiKey = view.apiKey;
  }

  /** The headers of its requests. */
  get headers() {
    return { "X-API-KEY": this.apiKey };
  }

  /** All of it, as the control API shows it now. */
  view() {
    return this.relayer.control(`accounts/${this.id}`);
  }

  /** Its layer-2 balances by the token's symbol. @returns {Promise<Record<string, Balance>>} */
  async balances() {
    return (await this.view()).balances;
  }

  /** Add to its balance of a token (symbol or id). @param {string | number} token @param {string | bigint} amount */
  deposit(token, amount) {
    return this.#change("deposit", { token, amount: String(amount) });
  }

  /** Set its free balance of a token. @param {string | number} token @param {string | bigint} amount */
  setBalance(token, amount) {
    return this.#change("balance", { token, amount: String(amount) });
  }

  /** Freeze or unfreeze it. */
  freeze(frozen = true) {
    return this.#change("freeze", { frozen });
  }

  /**
   * Change its keys without the client's knowledge: `keys({ apiKey: "another" })`.
   * @param {{ publicKeyX?: string, publicKeyY?: string, keySeed?: string, accountNonce?: number, apiKey?: string }} changes
   */
  async keys(changes) {
    await this.#change("keys", changes);
    this.apiKey = changes.apiKey ?? this.apiKey;
  }

  /**
   * A request as its client would send it, with every signature valid. Nothing is sent.
   * @param {string} endpoint @param {object} body @param {object} [how] `scheme`, `family`, `form`, `url`
   * @returns {Promise<any>}
   */
  sign(endpoint, body, how = {}) {
    const fields = { url: this.relayer.url, ...how, account: this.id, endpoint, body };
    return this.relayer.control("sign", "POST", fields);
  }

  /** @param {string} verb @param {object} body @returns {Promise<void>} */
  async #change(verb, body) {
    await this.relayer.control(`accounts/${this.id}/${verb}`, "POST", body);
  }
}

/** The relayer's clock, which can stand still, run at a rate, and be moved forward. */
export class Clock {
  /** @param {Control} control */
  constructor(control) {
    this.#control = control;
  }

  #control;

  /** The relayer's time in milliseconds since 1970. @returns {Promise<number>} */
  async nowMs() {
    return (await this.#control("clock")).now_ms;
  }

  /** Move forward by a duration (`15s`) or a number of seconds. @param {string | number} by */
  async advance(by) {
    await this.#control("clock", "POST", { advance: by });
  }

  /** Move forward to a moment. @param {string | Date} moment */
  async set(moment) {
    await this.#control("clock", "POST", { set: moment instanceof Date ? moment.toISOString() : moment });
  }

  /** Run at a rate: relayer seconds per real second; 0 stands still. @param {number} rate */
  async setRate(rate) {
    await this.#control("clock", "POST", { rate });
  }
}

/** A fault that was armed. */
export class Fault {
  /** @param {Relayer} relayer @param {string} id */
  constructor(relayer, id) {
    this.relayer = relayer;
    this.id = id;
  }

  /** The fault as the control API shows it now. */
  view() {
    return this.relayer.control(`faults/${this.id}`);
  }

  /** Disarm it: it need not fire then. */
  async remove() {
    await this.relayer.control(`faults/${this.id}`, "DELETE");
  }
}

/**
 * A test with a relayer of its own, for `test` of node:test, Vitest, Jest and Mocha. Further arguments are the runner's.
 * @template {any[]} A
 * @overload
 * @param {(relayer: Relayer, ...args: A) => unknown} test
 * @returns {(...args: A) => Promise<void>}
 */
/**
 * @template {any[]} A
 * @overload
 * @param {RelayerOptions} options
 * @param {(relayer: Relayer, ...args: A) => unknown} test
 * @returns {(...args: A) => Promise<void>}
 */
/** @param {any} options @param {any} [test] */
export function withRelayer(options, test) {
  const [own, run] = typeof options === "function" ? [{}, options] : [options, test];
  if (typeof run !== "function") throw new TypeError("withRelayer needs a test: withRelayer(options, async (relayer) => …)");
  // Without a parameter of its own, or Jest and Mocha would wait for a callback.
  return async (/** @type {any[]} */ ...args) => {
    const relayer = await opened(own);
    let hasPassed = false;
    try {
      await run(relayer, ...args);
      hasPassed = true;
    } finally {
      await close(relayer, hasPassed);
    }
  };
}

/**
 * A relayer for each test of a file or suite: `const relayer = useRelayer({ beforeEach, afterEach })`, with the hooks of
 * node:test, Vitest, Jest or Mocha. In a test, `relayer()` is its relayer. Tests that run side by side in one file
 * need `withRelayer`.
 * @param {{ beforeEach: (hook: () => Promise<void>) => unknown, afterEach: (hook: () => Promise<void>) => unknown }} hooks
 * @param {RelayerOptions} [options]
 * @returns {() => Relayer}
 */
export function useRelayer({ beforeEach, afterEach }, options = {}) {
  /** @type {Relayer | undefined} */
  let relayer;
  beforeEach(async () => {
    relayer = await opened(options);
  });
  afterEach(async () => {
    const ended = relayer;
    relayer = undefined;
    if (ended) await close(ended, true);
  });
  return () => {
    if (!relayer) throw new Error("there is a relayer in tests only");
    return relayer;
  };
}

/**
 * A fixture for `test.extend` of Vitest and Playwright: `test.extend({ relayer: relayerFixture() })`.
 * @param {RelayerOptions} [options]
 * @returns {(fixtures: any, use: (relayer: Relayer) => Promise<void>, info?: any) => Promise<void>}
 */
export function relayerFixture(options = {}) {
  // Both read the names of the fixtures that it needs from the pattern of its first parameter.
  return async ({}, use, info) => {
    const relayer = await opened(options);
    await use(relayer);
    await close(relayer, !info?.errors?.length);
  };
}

/** @param {RelayerOptions} options */
async function opened(options) {
  return (options.server ?? (await connect())).relayer(options);
}

/** Check a relayer, unless its test has failed already, and end it. @param {Relayer} relayer @param {boolean} isChecked */
async function close(relayer, isChecked) {
  try {
    if (isChecked) await relayer.check();
  } finally {
    await relayer.end();
  }
}

/** @param {string[]} sentences */
function failureMessage(sentences) {
  /** @type {Map<string, string[]>} */
  const byKind = new Map();
  for (const sentence of sentences) {
    const kind = sentence.split(/[ :]/, 1)[0];
    byKind.set(kind, [...(byKind.get(kind) ?? []), sentence]);
  }
  const lines = [...byKind].flatMap(([kind, listed]) => [
    ...listed.slice(0, SHOWN_PER_RULE),
    ...(listed.length > SHOWN_PER_RULE ? [`${kind}: and ${listed.length - SHOWN_PER_RULE} more`] : []),
  ]);
  const [first] = byKind.keys();
  const hint = `(the relayer met this, and no assertion asked for it; a test may allow it: allow: ["${first}"])`;
  return `${lines.join("\n")}\n${hint}`;
}

/** A value as one segment of a path. @param {unknown} value */
function word(value) {
  return encodeURIComponent(String(value));
}
