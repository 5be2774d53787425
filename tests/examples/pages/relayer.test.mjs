import assert from "node:assert/strict";
import { basename } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { fileURLToPath } from "node:url";

/** A relayer of this file's own: Node runs test files side by side. */
const world = basename(fileURLToPath(import.meta.url));
const url = `${process.env.MOCKRELAY_URL ?? "http://127.0.0.1:4627"}/w/${world}`;

/** The test's side of the relayer: a call of the control API. */
async function control(method, path, body) {
  const answer = await fetch(`${url}/__mockrelay/${path}`, { method, body: body && JSON.stringify(body) });
  const value = await answer.json();
  assert.ok(answer.ok, JSON.stringify(value));
  return value;
}

/** The client under test: it asks once more where it is refused by the status. */
async function ticker(market, apiKey) {
  const ask = () => fetch(`${url}/api/v2/ticker?market=${market}`, { headers: { "X-API-KEY": apiKey } });
  let answer = await ask();
  if (!answer.ok) answer = await ask();
  return (await answer.json()).data[0];
}

beforeEach(() => control("POST", "reset", { limits: "off", clock: { rate: 0, start: "2026-01-01T00:00:00Z" } }));

afterEach(async () => {
  assert.deepEqual(await control("GET", "problems"), []); // an unknown path, a fault that never fired
  assert.deepEqual(await control("GET", "findings"), []); // what the client did wrong
});

test("the client asks once more after a 503", async () => {
  const { apiKey } = await control("GET", "accounts/alice");
  await control("POST", "faults", { on: "get_ticker", status: 503 });
  assert.equal((await ticker("LRC-ETH", apiKey))[0], "LRC-ETH");
  await control("POST", "verify", { endpoint: "get_ticker", times: 2 });
});

test("time is moved by the test", async () => {
  assert.equal((await control("GET", "clock")).now, "2026-01-01T00:00:00Z");
  await control("POST", "clock", { advance: "15s" });
  assert.equal((await control("GET", "clock")).now, "2026-01-01T00:00:15Z");
});
