import { right } from "../cases.mjs";
import { withRelayer } from "../mockrelay.mjs";

for (const [name, run] of Object.entries(right)) test(name, withRelayer(run));
