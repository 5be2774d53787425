// What TypeScript must accept, and, after each `@ts-expect-error`, what it must refuse.
import { test as playwright } from "@playwright/test";
import nodeTest, { afterEach, beforeEach, type TestContext } from "node:test";
import * as vitest from "vitest";

import globalSetup, {
  type Finding,
  type Relayer,
  attach,
  connect,
  relayerFixture,
  spawn,
  useRelayer,
  withRelayer,
  workerName,
} from "../mockrelay.mjs";

export async function uses(relayer: Relayer): Promise<string> {
  const alice = await relayer.account("alice");
  const balance: string = (await alice.balances()).LRC.free;
  await relayer.fault("submit_order", { code: 102014, when: { accountId: alice.id } });
  // @ts-expect-error a code is a number
  await relayer.fault("submit_order", { code: "102014" });
  await relayer.reset({ clock: { rate: 0, start: "2026-01-01T00:00:00Z" }, limits: "spec" });
  await relayer.reset({ scenario: { extends: "default", seed: 7 }, limits: { get_depth: 1 }, choices: { "http.error_status": 400 } });
  // @ts-expect-error limits are those of the specification or off
  await relayer.reset({ limits: "on" });
  await relayer.clock.advance("15s");
  await relayer.assertCalled("get_ticker", { times: 2 });
  const findings: Finding[] = await relayer.findings();
  return findings.filter((finding) => finding.fails).length + balance;
}

nodeTest("own", withRelayer({ strict: true, choices: { "http.error_status": "400" } }, (relayer) => uses(relayer)));
nodeTest("with the runner's argument", withRelayer(async (relayer, t: TestContext) => t.diagnostic(await uses(relayer))));

const shared = useRelayer({ beforeEach, afterEach }, { name: workerName(), allow: "unfired_fault" });
nodeTest("shared", async () => void (await uses(shared())));
useRelayer(vitest);

const inVitest = vitest.test.extend<{ relayer: Relayer }>({ relayer: relayerFixture() });
inVitest("its own", async ({ relayer }) => void (await uses(relayer)));

const inPlaywright = playwright.extend<{ relayer: Relayer }>({ relayer: relayerFixture({ scenario: "slow_deployment" }) });
inPlaywright("its own", async ({ relayer }) => void (await uses(relayer)));
playwright.extend<object, { relayer: Relayer }>({ relayer: [relayerFixture(), { scope: "worker" }] });

export async function servers(): Promise<void> {
  const teardown: () => Promise<void> = await globalSetup();
  await (await attach({ url: "http://127.0.0.1:4627", token: "secret" })).relayer({ name: "one" });
  await (await spawn({ args: ["--worlds", "500"] })).close();
  await (await connect()).control("worlds");
  await teardown();
}
