import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "@playwright/test";

// Where the hosts of this run keep their data. Workers read this file again, so it goes through the environment.
process.env.PLAIT_E2E_FOLDER ??= mkdtempSync(join(tmpdir(), "plait-e2e-"));

export default defineConfig({
  testDir: "tests/e2e",
  outputDir: "test-results",
  globalTeardown: "./tests/e2e/remove-folder.ts",
  fullyParallel: true,
  // Half of the time of a test is waiting, for the host and for the page.
  workers: 4,
  // A press that a loaded machine delivers late is tried once more; the list names what needed it as "flaky".
  retries: 1,
  // What hangs is found; what a busy machine slows down is not.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: [["list"]],
  use: {
    viewport: { width: 1280, height: 800 },
    permissions: ["clipboard-read", "clipboard-write"],
    // Without a graphics card, turning rings and blinking carets take an eighth of the time of all tests.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      executablePath: process.env.PLAIT_CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    },
  },
});
