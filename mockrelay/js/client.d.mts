/**
 * The server at an address, by default at `MOCKRELAY_URL`; its token by default `MOCKRELAY_TOKEN`.
 * @param {{ url?: string, token?: string }} [where]
 */
export function attach({ url, token }?: {
    url?: string;
    token?: string;
}): Promise<Server>;
/**
 * Start a server on a free port. It ends with `close()`, or with this process.
 *
 * `command` is `mockrelay` (or `MOCKRELAY_COMMAND`), `args` are further options of `mockrelay serve`.
 * @param {SpawnOptions} [options]
 * @returns {Promise<Server>}
 */
export function spawn({ command, args, token, }?: SpawnOptions): Promise<Server>;
/**
 * The server of this process: the one at `MOCKRELAY_URL`, or else one that is started at the first call.
 * @returns {Promise<Server>}
 */
export function connect(): Promise<Server>;
/**
 * Start a server for a whole run: as `globalSetup` of Vitest, Jest or Playwright. A server at `MOCKRELAY_URL` is used as
 * it is.
 */
export default function globalSetup(): Promise<() => Promise<void>>;
/** The name of the present worker of the test runner, for a world that its tests share one after the other. */
export function workerName(): string;
/**
 * A test with a relayer of its own, for `test` of node:test, Vitest, Jest and Mocha. Further arguments are the runner's.
 * @template {any[]} A
 * @overload
 * @param {(relayer: Relayer, ...args: A) => unknown} test
 * @returns {(...args: A) => Promise<void>}
 */
export function withRelayer<A extends any[]>(test: (relayer: Relayer, ...args: A) => unknown): (...args: A) => Promise<void>;
/**
 * @template {any[]} A
 * @overload
 * @param {RelayerOptions} options
 * @param {(relayer: Relayer, ...args: A) => unknown} test
 * @returns {(...args: A) => Promise<void>}
 */
export function withRelayer<A extends any[]>(options: RelayerOptions, test: (relayer: Relayer, ...args: A) => unknown): (...args: A) => Promise<void>;
/**
 * A relayer for each test of a file or suite: `const relayer = useRelayer({ beforeEach, afterEach })`, with the hooks of
 * node:test, Vitest, Jest or Mocha. In a test, `relayer()` is its relayer. Tests that run side by side in one file
 * need `withRelayer`.
 * @param {{ beforeEach: (hook: () => Promise<void>) => unknown, afterEach: (hook: () => Promise<void>) => unknown }} hooks
 * @param {RelayerOptions} [options]
 * @returns {() => Relayer}
 */
export function useRelayer({ beforeEach, afterEach }: {
    beforeEach: (hook: () => Promise<void>) => unknown;
    afterEach: (hook: () => Promise<void>) => unknown;
}, options?: RelayerOptions): () => Relayer;
/**
 * A fixture for `test.extend` of Vitest and Playwright: `test.extend({ relayer: relayerFixture() })`.
 * @param {RelayerOptions} [options]
 * @returns {(fixtures: any, use: (relayer: Relayer) => Promise<void>, info?: any) => Promise<void>}
 */
export function relayerFixture(options?: RelayerOptions): (fixtures: any, use: (relayer: Relayer) => Promise<void>, info?: any) => Promise<void>;
/** A control call that was refused: what is wrong, in which field, and what was meant. */
export class ControlError extends Error {
    /** @param {number} status @param {{ error: string, field?: string | null, meant?: string | null }} refusal */
    constructor(status: number, { error, field, meant }: {
        error: string;
        field?: string | null;
        meant?: string | null;
    });
    status: number;
    field: string | null;
    meant: string | null;
}
/** What a relayer met that fails a test: problems, findings of rules that fail tests, calls that were not made. */
export class RelayerError extends Error {
    /** @param {string} message */
    constructor(message: string);
}
/** A server of mockrelay. `attach`, `spawn` and `connect` make one. */
export class Server {
    /** @param {string} url @param {string} [token] @param {() => Promise<void>} [stop] */
    constructor(url: string, token?: string, stop?: () => Promise<void>);
    /** Its address, without a slash at the end. */
    url: string;
    token: string | undefined;
    /**
     * Make a control call; `path` is what follows `/__mockrelay/`, with its query.
     * @param {string} path @param {string} [method] @param {unknown} [body] @param {string} [base]
     * @returns {Promise<any>}
     */
    control(path: string, method?: string, body?: unknown, base?: string): Promise<any>;
    /**
     * A relayer in a world of its own.
     * @param {RelayerOptions} [options]
     */
    relayer(options?: RelayerOptions): Promise<Relayer>;
    /** Stop the server, if `spawn` started it. */
    close(): Promise<void>;
    #private;
}
/** A relayer under a test's control. Amounts are texts in the smallest unit; durations have units (`15s`, `1h30m`). */
export class Relayer {
    /** @param {Server} server @param {RelayerOptions} [options] */
    constructor(server: Server, { name, strict, allow, server: _, ...start }?: RelayerOptions);
    server: Server;
    isKept: boolean;
    name: string;
    /** The address for the client under test. */
    url: string;
    strict: boolean;
    /** The relayer's clock. */
    clock: Clock;
    /**
     * Make a control call of this relayer (the guide's page on the control API).
     * @type {Control}
     */
    control: Control;
    /** The account with a name or an id. @param {string | number} who */
    account(who: string | number): Promise<Account>;
    /** All accounts, in the scenario's order. */
    accounts(): Promise<Account[]>;
    /**
     * Arm a fault on an endpoint: `fault("submit_order", { code: 102014 })`. It must fire before the test ends.
     * @param {string} endpoint @param {FaultFields} fields
     */
    fault(endpoint: string, fields: FaultFields): Promise<Fault>;
    /** Set choices to other options; all choices with their present options. @param {Record<string, string | number>} [changes] */
    choices(changes?: Record<string, string | number>): Promise<Record<string, string>>;
    /** Seal blocks of the pending transactions; their ids. */
    sealBlocks(count?: number): Promise<number[]>;
    /** The snapshot with a name is taken now. @param {string} name */
    snapshot(name: string): Promise<void>;
    /** Return to a snapshot. @param {string} name */
    restore(name: string): Promise<void>;
    /** The whole state. */
    state(): Promise<any>;
    /**
     * The calls that were made, oldest first; keys and signatures are masked.
     * @param {{ last?: number, endpoint?: string }} [which]
     * @returns {Promise<any[]>}
     */
    requests(which?: {
        last?: number;
        endpoint?: string;
    }): Promise<any[]>;
    /** Empty the journal, so that assertions count from here. */
    forgetRequests(): Promise<void>;
    /** Why a call was answered as it was: by its id, or by its answer. @param {string | Response} call */
    why(call: string | Response): Promise<any>;
    /**
     * Throws, with the nearest calls, unless an endpoint was called with these fields as often as given (at least once).
     * @param {string} endpoint @param {Expected} [expected]
     */
    assertCalled(endpoint: string, expected?: Expected): Promise<void>;
    /** Throws if an endpoint was called with these fields. @param {string} endpoint @param {Pick<Expected, "body" | "query" | "code">} [fields] */
    assertNotCalled(endpoint: string, fields?: Pick<Expected, "body" | "query" | "code">): Promise<void>;
    /** Throws unless these endpoints were called in this order; others may come in between. @param {string[]} endpoints */
    assertSequence(...endpoints: string[]): Promise<void>;
    /** `POST verify` of the control API; throws where the calls were not made. @param {({ endpoint: string } & Expected) | { sequence: string[] }} expected */
    verify(expected: ({
        endpoint: string;
    } & Expected) | {
        sequence: string[];
    }): Promise<void>;
    /** What the client did wrong since the last reset. @returns {Promise<Finding[]>} */
    findings(): Promise<Finding[]>;
    /** Unknown paths, faults that never fired, failures. @returns {Promise<Problem[]>} */
    problems(): Promise<Problem[]>;
    /** Let kinds of problems, rules of findings, `finding` (all findings) or `all` fail no test. @param {string[]} kinds */
    allow(...kinds: string[]): void;
    /** A sentence for each problem and each finding that fails a test, those from before a reset too. */
    unexpected(): Promise<string[]>;
    /** Throws for the problems and findings that fail a test. */
    check(): Promise<void>;
    /** Start anew, as it was made or otherwise. Problems from before still fail the test. @param {Start} [start] */
    reset(start?: Start): Promise<void>;
    /** Whether it has been started. */
    isOpen: boolean;
    /** Remove the relayer's world, unless it was given a name. */
    end(): Promise<void>;
    #private;
}
/** An account as a test reads and changes it. */
export class Account {
    /** @param {Relayer} relayer @param {any} view */
    constructor(relayer: Relayer, view: any);
    relayer: Relayer;
    /** @type {number} */
    id: number;
    /** @type {string} */
    name: string;
    /** @type {string} */
    owner: string;
    /** @type {string} */
    apiKey: string;
    /** The headers of its requests. */
    get headers(): {
        "X-API-KEY": string;
    };
    /** All of it, as the control API shows it now. */
    view(): Promise<any>;
    /** Its layer-2 balances by the token's symbol. @returns {Promise<Record<string, Balance>>} */
    balances(): Promise<Record<string, Balance>>;
    /** Add to its balance of a token (symbol or id). @param {string | number} token @param {string | bigint} amount */
    deposit(token: string | number, amount: string | bigint): Promise<void>;
    /** Set its free balance of a token. @param {string | number} token @param {string | bigint} amount */
    setBalance(token: string | number, amount: string | bigint): Promise<void>;
    /** Freeze or unfreeze it. */
    freeze(frozen?: boolean): Promise<void>;
    /**
     * Change its keys without the client's knowledge: `keys({ apiKey: "another" })`.
     * @param {{ publicKeyX?: string, publicKeyY?: string, keySeed?: string, accountNonce?: number, apiKey?: string }} changes
     */
    keys(changes: {
        publicKeyX?: string;
        publicKeyY?: string;
        keySeed?: string;
        accountNonce?: number;
        apiKey?: string;
    }): Promise<void>;
    /**
     * A request as its client would send it, with every signature valid. Nothing is sent.
     * @param {string} endpoint @param {object} body @param {object} [how] `scheme`, `family`, `form`, `url`
     * @returns {Promise<any>}
     */
    sign(endpoint: string, body: object, how?: object): Promise<any>;
    #private;
}
/** The relayer's clock, which can stand still, run at a rate, and be moved forward. */
export class Clock {
    /** @param {Control} control */
    constructor(control: Control);
    /** The relayer's time in milliseconds since 1970. @returns {Promise<number>} */
    nowMs(): Promise<number>;
    /** Move forward by a duration (`15s`) or a number of seconds. @param {string | number} by */
    advance(by: string | number): Promise<void>;
    /** Move forward to a moment. @param {string | Date} moment */
    set(moment: string | Date): Promise<void>;
    /** Run at a rate: relayer seconds per real second; 0 stands still. @param {number} rate */
    setRate(rate: number): Promise<void>;
    #private;
}
/** A fault that was armed. */
export class Fault {
    /** @param {Relayer} relayer @param {string} id */
    constructor(relayer: Relayer, id: string);
    relayer: Relayer;
    id: string;
    /** The fault as the control API shows it now. */
    view(): Promise<any>;
    /** Disarm it: it need not fire then. */
    remove(): Promise<void>;
}
/**
 * A clock that runs in real time, stands still, or runs at a rate (relayer seconds per real second); with `start`, from
 * that moment on.
 */
export type ClockStart = "real" | "frozen" | number | {
    rate: number;
    start: string;
};
/**
 * How a relayer starts: `scenario` is the name of a packaged one, or what a file has (`{"extends": "default", "faults": […]}`),
 * `scenarioText` a whole scenario as YAML or JSON.
 */
export type Start = {
    scenario?: string | object | undefined;
    scenarioText?: string | undefined;
    profile?: "live" | "spec" | undefined;
    /**
     * options of choices: `{"http.error_status": "400"}`
     */
    choices?: Record<string, string | number> | undefined;
    /**
     * by default it stands still, at the second at which the test began
     */
    clock?: ClockStart | undefined;
    /**
     * by default `off`; calls a second by endpoint
     */
    limits?: "off" | "spec" | Record<string, number | "none"> | undefined;
};
export type OwnOptions = {
    /**
     * the name of a world that is kept, such as `workerName()`; by default a new one, removed at the end
     */
    name?: string | undefined;
    /**
     * whether all findings fail a test
     */
    strict?: boolean | undefined;
    /**
     * kinds of problems and rules of findings that fail no test
     */
    allow?: string | string[] | undefined;
    /**
     * by default that of `connect()`
     */
    server?: Server | undefined;
};
export type RelayerOptions = Start & OwnOptions;
export type SpawnOptions = {
    command?: string;
    args?: string[];
    token?: string;
};
/**
 * an amount in the smallest unit
 */
export type Balance = {
    free: string;
    frozen: string;
    inFlight: string;
};
export type Problem = {
    kind: string;
    request: string | null;
    reason: string;
    meant: string | null;
};
export type Finding = {
    rule: string;
    /**
     * the id of the call
     */
    request: string | null;
    /**
     * what brought it about: a `call`, `timeline entry 3`, `command advance`
     */
    source: string;
    detail: string;
    level: "error" | "warning" | "note";
    /**
     * whether it fails a test
     */
    fails: boolean;
    fix: string;
};
export type Expected = {
    times?: number;
    atLeast?: number;
    atMost?: number;
    body?: object;
    query?: object;
    code?: number;
};
/**
 * Which calls a fault is for, and its one effect (the guide's page on faults).
 */
export type FaultFields = {
    name?: string | undefined;
    code?: number | undefined;
    message?: string | undefined;
    status?: number | undefined;
    body?: string | undefined;
    delay?: string | undefined;
    drop?: boolean | undefined;
    hold?: string | undefined;
    outcome?: string | undefined;
    layer1?: string | undefined;
    rate_limit?: boolean | undefined;
    disconnect?: string | undefined;
    push?: string | undefined;
    refuse?: number | undefined;
    when?: Record<string, unknown> | undefined;
    nth?: number | undefined;
    times?: number | undefined;
    at?: "after" | "before" | "instead" | undefined;
};
export type Control = (path: string, method?: string, body?: unknown) => Promise<any>;
