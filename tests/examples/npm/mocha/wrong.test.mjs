import { wrong } from "../cases.mjs";
import { withRelayer } from "../mockrelay.mjs";

for (const [name, run] of Object.entries(wrong)) it(name, withRelayer(run));
