import { test as base } from "vitest";

import { right, wrong } from "../cases.mjs";
import { relayerFixture } from "../mockrelay.mjs";

const test = base.extend({ relayer: relayerFixture() });

for (const [name, run] of Object.entries(right)) test(name, ({ relayer }) => run(relayer));
for (const [name, run] of Object.entries(wrong)) test(name, async ({ relayer }) => void (await run(relayer)));
