import { useRelayer, workerName } from "../mockrelay.mjs";
import { ticker } from "../ticker.mjs";

const relayer = useRelayer({ beforeEach, afterEach }, { name: workerName() });

test("the client asks once more after a 503", async () => {
  const { apiKey } = await relayer().account("alice");
  await relayer().fault("get_ticker", { status: 503 });
  expect((await ticker(relayer().url, "LRC-ETH", apiKey))[0]).toBe("LRC-ETH");
  await relayer().assertCalled("get_ticker", { times: 2 });
});
