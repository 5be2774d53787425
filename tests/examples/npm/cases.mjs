// The tests that each runner runs, as functions of a relayer: `right` must pass, `wrong` must fail at their ends.
import assert from "node:assert/strict";

import { ControlError, RelayerError } from "./mockrelay.mjs";

/** A client that asks once more where it is refused by the status. */
async function ticker(url, apiKey) {
  const ask = () => fetch(`${url}/api/v2/ticker?market=LRC-ETH`, { headers: { "X-API-KEY": apiKey } });
  const answer = await ask();
  return answer.ok ? answer : ask();
}

export const right = {
  "a fault fires, and the client asks again": async (relayer) => {
    const { apiKey } = await relayer.account("alice");
    const fault = await relayer.fault("get_ticker", { status: 503 });
    const answer = await ticker(relayer.url, apiKey);
    assert.equal((await answer.json()).data[0][0], "LRC-ETH");
    assert.equal((await fault.view()).fired, 1);
    await relayer.assertCalled("get_ticker", { times: 2, query: { market: "LRC-ETH" } });
    await relayer.assertNotCalled("submit_order");
    await relayer.assertSequence("get_ticker", "get_ticker");
    await assert.rejects(relayer.assertCalled("get_ticker", { times: 3 }), RelayerError);
    assert.deepEqual((await relayer.requests({ endpoint: "get_ticker" })).map(({ status }) => status), [503, 200]);
    assert.equal((await relayer.why(answer)).endpoint, "get_ticker");
    await relayer.forgetRequests();
    assert.deepEqual(await relayer.requests(), []);
  },
  "the clock stands still until it is moved": async (relayer) => {
    const before = await relayer.clock.nowMs();
    assert.ok(Math.abs(before - Date.now()) < 60_000);
    assert.equal(before % 1000, 0);
    await relayer.clock.advance("15s");
    assert.equal(await relayer.clock.nowMs(), before + 15_000);
    await relayer.clock.set(new Date(before + 3_600_000));
    assert.equal(await relayer.clock.nowMs(), before + 3_600_000);
    await relayer.clock.setRate(1000);
    assert.equal((await relayer.control("clock")).rate, 1000);
  },
  "a world is a test's own, and a snapshot brings it back": async (relayer) => {
    const alice = await relayer.account("alice");
    const lrc = async () => BigInt((await alice.balances()).LRC.free);
    const before = await lrc();
    assert.equal(before, 20_000_000n * 10n ** 18n);
    await relayer.snapshot("before");
    await alice.deposit("LRC", 5n);
    assert.equal(await lrc(), before + 5n);
    await relayer.restore("before");
    assert.equal(await lrc(), before);
    await alice.setBalance("LRC", "7");
    await alice.freeze();
    assert.equal((await alice.view()).frozen, true);
    await alice.keys({ apiKey: "another" });
    assert.deepEqual(alice.headers, { "X-API-KEY": "another" });
    assert.equal((await relayer.accounts()).length, 3);
    assert.deepEqual(await relayer.sealBlocks(), []);
  },
  "options of choices hold": async (relayer) => {
    assert.equal((await relayer.choices({ "http.error_status": "400" }))["http.error_status"], "400");
    assert.equal((await ticker(relayer.url, "")).status, 400);
    await relayer.reset({ scenario: "slow_deployment", clock: { rate: 0, start: "2026-01-01T00:00:00Z" } });
    assert.equal(await relayer.clock.nowMs(), Date.UTC(2026, 0));
    assert.equal((await relayer.choices())["http.error_status"], "split");
    await relayer.reset({ scenario: { extends: "default" }, limits: { get_depth: 1 }, choices: { "http.error_status": 400 } });
    assert.equal((await relayer.choices())["http.error_status"], "400");
  },
  "a request is signed as its client would": async (relayer) => {
    await assert.rejects(relayer.server.relayer({ scenario: "defualt" }), (error) => error.message.includes("default"));
    const carol = await relayer.account("carol");
    const body = { accountId: carol.id, orderHash: `0x${"0".repeat(64)}` };
    await assert.rejects(carol.sign("submit_order", body), ControlError);
    await assert.rejects(relayer.account("nobody"), (error) => error.status === 404 && error.message.includes("nobody"));
  },
  "what a test allows does not fail it": async (relayer) => {
    relayer.allow("unfired_fault");
    await relayer.fault("get_ticker", { status: 503 });
    const removed = await relayer.fault("get_depth", { status: 503 });
    await removed.remove();
  },
  "a finding that may have reasons does not fail a test": async (relayer) => {
    await fetch(`${relayer.url}/api/v3/delegator/getCode`, { method: "POST", body: `{"address":"0x${"0c".repeat(20)}"}` });
    const [{ rule, fails }] = await relayer.findings();
    assert.deepEqual([rule, fails], ["wrong-content-type", false]);
  },
};

/** By the first word of the failure. */
export const wrong = {
  unfired_fault: (relayer) => relayer.fault("get_ticker", { status: 503 }),
  unknown_path: (relayer) => fetch(`${relayer.url}/api/v2/tickers`),
  "seconds-for-milliseconds": async (relayer) => {
    const { id, headers } = await relayer.account("alice");
    await fetch(`${relayer.url}/api/v2/orders?accountId=${id}&start=1767225600`, { headers });
  },
  "wrong-content-type": async (relayer) => {
    relayer.strict = true;
    await right["a finding that may have reasons does not fail a test"](relayer);
  },
  "unknown_path before a reset": async (relayer) => {
    await fetch(`${relayer.url}/api/v2/tickers`);
    await relayer.reset();
  },
  "the test's own failure": () => assert.fail("the test's own failure"),
};
