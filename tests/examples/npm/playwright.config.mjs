export default { globalSetup: "./mockrelay.mjs", testDir: "playwright", workers: 2 };
