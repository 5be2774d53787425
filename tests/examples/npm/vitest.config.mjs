export default { test: { globalSetup: "./mockrelay.mjs", include: ["vitest/*.test.mjs"], maxWorkers: 2 } };
