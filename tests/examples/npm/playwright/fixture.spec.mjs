import { test as base } from "@playwright/test";

import { right, wrong } from "../cases.mjs";
import { relayerFixture } from "../mockrelay.mjs";

const test = base.extend({ relayer: relayerFixture() });
test.describe.configure({ mode: "parallel" });

for (const [name, run] of Object.entries(right)) test(name, ({ relayer }) => run(relayer));
for (const [name, run] of Object.entries(wrong)) test(name, async ({ relayer }) => void (await run(relayer)));
