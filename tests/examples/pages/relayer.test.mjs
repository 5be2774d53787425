import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

const url = process.env.RELAYER_URL ?? "http://127.0.0.1:4627";

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

beforeEach(() => control("POST", "reset", { limits: "off" }));

test("the client asks once more after a 503", async () => {
  const { apiKey } = await control("GET", "accounts/alice");
  await control("POST", "faults", { on: "get_ticker", status: 503 });
  assert.equal((await ticker("LRC-ETH", apiKey))[0], "LRC-ETH");
  await control("POST", "verify", { endpoint: "get_ticker", times: 2 });
});

test("time is moved by the test", async () => {
  const before = await control("GET", "clock");
  const after = await control("POST", "clock", { advance: "15s" });
  assert.ok(after.now_ms >= before.now_ms + 15_000);
});
