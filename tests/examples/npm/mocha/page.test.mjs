import assert from "node:assert/strict";

import { withRelayer } from "../mockrelay.mjs";
import { ticker } from "../ticker.mjs";

it("the client asks once more after a 503", withRelayer(async (relayer) => {
  const { apiKey } = await relayer.account("alice");
  await relayer.fault("get_ticker", { status: 503 });
  assert.equal((await ticker(relayer.url, "LRC-ETH", apiKey))[0], "LRC-ETH");
  await relayer.assertCalled("get_ticker", { times: 2 });
}));
