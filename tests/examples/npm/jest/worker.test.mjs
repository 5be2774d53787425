import { right } from "../cases.mjs";
import { useRelayer, workerName } from "../mockrelay.mjs";

const relayer = useRelayer({ beforeEach, afterEach }, { name: workerName() });

for (const [name, run] of Object.entries(right)) test(name, () => run(relayer()));
