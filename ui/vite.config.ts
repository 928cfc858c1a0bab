import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { mockHostEntry } from "./mock-host/vite-plugin";
import { stylesheetsLast } from "./stylesheets-last";

/**
 * The policy of the desktop window (see `tauri.conf.json`), so that a page that works under `vite preview` works there.
 */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'none'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/**
 * The desktop page, or with `--mode mock` the same page on the mock host, which is built into a folder of its own so that
 * it can't end up in the desktop bundle.
 */
export default defineConfig(({ mode }) => ({
  base: "./",
  plugins: [react(), tailwindcss(), stylesheetsLast(), mode === "mock" && mockHostEntry()],
  resolve: {
    alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) },
  },
  // The guide's pages are beside this folder, in `docs/`.
  server: { host: "127.0.0.1", port: 5173, fs: { allow: [".."] } },
  preview: {
    host: "127.0.0.1",
    port: 4173,
    headers: { "Content-Security-Policy": CSP },
  },
  worker: { format: "es" },
  build: {
    outDir: mode === "mock" ? "dist-mock" : "dist",
    // WebKitGTK, WKWebView and WebView2 of the last years.
    target: ["es2022", "safari16", "chrome110"],
    modulePreload: { polyfill: false },
    // Data URLs for assets would need a wider policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1700,
  },
  test: {
    environment: "happy-dom",
    include: ["{src,mock-host}/**/*.test.{ts,tsx}"],
    restoreMocks: true,
    // What hangs is found; what a busy machine slows down is not.
    testTimeout: 60_000,
  },
}));
