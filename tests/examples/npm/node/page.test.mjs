import assert from "node:assert/strict";
import test from "node:test";

import { withRelayer } from "../mockrelay.mjs";

/** The client under test: it asks once more where it is refused by the status. */
async function ticker(url, market, apiKey) {
  const ask = () => fetch(`${url}/api/v2/ticker?market=${market}`, { headers: { "X-API-KEY": apiKey } });
  let answer = await ask();
  if (!answer.ok) answer = await ask();
  return (await answer.json()).data[0];
}

test("the client asks once more after a 503", withRelayer(async (relayer) => {
  const { apiKey } = await relayer.account("alice");
  await relayer.fault("get_ticker", { status: 503 });
  assert.equal((await ticker(relayer.url, "LRC-ETH", apiKey))[0], "LRC-ETH");
  await relayer.assertCalled("get_ticker", { times: 2 });
}));
