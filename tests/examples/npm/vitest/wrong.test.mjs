import { afterEach, beforeEach, test } from "vitest";

import { wrong } from "../cases.mjs";
import { useRelayer } from "../mockrelay.mjs";

const relayer = useRelayer({ beforeEach, afterEach });

for (const [name, run] of Object.entries(wrong)) test(name, async () => void (await run(relayer())));
