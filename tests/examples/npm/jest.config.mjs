export default { globalSetup: "./mockrelay.mjs", testMatch: ["<rootDir>/jest/*.test.mjs"], maxWorkers: 2 };
