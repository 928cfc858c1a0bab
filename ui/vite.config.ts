import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { developmentHost, entryPoint } from "./browser/vite-plugin";
import { stylesheetsLast } from "./stylesheets-last";
import { testProjects } from "./test-projects";

/** Where the host listens that `npm run dev` starts. */
const HOST_PORT = 5174;

/**
 * The page of the window, or with `--mode browser` the same page for browsers, which is built into a folder of its own so that
 * it can't end up in the window.
 */
export default defineConfig(({ mode }) => ({
  base: "./",
  plugins: [
    react(),
    tailwindcss(),
    stylesheetsLast(),
    mode === "browser" && [entryPoint("/browser/main.tsx"), developmentHost(HOST_PORT)],
  ],
  resolve: {
    alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) },
  },
  // The guide's pages are beside this folder, in `docs/`.
  server: {
    host: "127.0.0.1",
    port: 5173,
    fs: { allow: [".."] },
    proxy: Object.fromEntries(["/rpc", "/watch", "/opened"].map((path) => [path, `http://127.0.0.1:${HOST_PORT}`])),
  },
  worker: { format: "es" },
  build: {
    outDir: mode === "browser" ? "dist-browser" : "dist",
    // WebKitGTK, WKWebView and WebView2 of the last years.
    target: ["es2022", "safari16", "chrome110"],
    modulePreload: { polyfill: false },
    // Data URLs for assets would need a wider policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1700,
  },
  test: {
    environment: "happy-dom",
    pool: "threads",
    projects: testProjects(),
    restoreMocks: true,
    unstubGlobals: true,
    // What hangs is found; what a busy machine slows down is not.
    testTimeout: 60_000,
  },
}));
