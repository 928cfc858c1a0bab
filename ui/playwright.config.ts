import { execFileSync } from "node:child_process";
import { defineConfig } from "@playwright/test";

// A free port of this machine. Workers read this file again, so the choice goes through the environment.
process.env.PLAIT_E2E_PORT ??= execFileSync(process.execPath, [
  "-e",
  'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })',
])
  .toString()
  .trim();
const PORT = Number(process.env.PLAIT_E2E_PORT);

export default defineConfig({
  testDir: "tests/e2e",
  outputDir: "test-results",
  fullyParallel: false,
  workers: 1,
  retries: 0,
  // What hangs is found; what a busy machine slows down is not.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: [["list"]],
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    viewport: { width: 1280, height: 800 },
    permissions: ["clipboard-read", "clipboard-write"],
    launchOptions: {
      executablePath: process.env.PLAIT_CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    },
  },
  webServer: {
    command: `npx vite preview --mode mock --port ${PORT} --strictPort`,
    port: PORT,
    reuseExistingServer: false,
  },
});
