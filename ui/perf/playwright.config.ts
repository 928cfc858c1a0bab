import { defineConfig } from "@playwright/test";

/** Measurements, not tests: they print what they found, and fail only where something was lost or came in disorder. */
export default defineConfig({
  testDir: ".",
  testMatch: "*.perf.ts",
  outputDir: "../test-results/perf",
  workers: 1,
  timeout: 180_000,
  reporter: [["./json-lines.ts"]],
  use: {
    baseURL: "http://127.0.0.1:4194",
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      executablePath: process.env.PLAIT_CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    },
  },
  webServer: {
    command:
      "npx vite build --config perf/vite.config.ts --logLevel warn && npx vite preview --config perf/vite.config.ts --logLevel warn",
    cwd: "..",
    port: 4194,
    timeout: 120_000,
    reuseExistingServer: false,
  },
});
