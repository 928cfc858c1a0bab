import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { entryPoint } from "../browser/vite-plugin";
import { stylesheetsLast } from "../stylesheets-last";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The page on a host that only measures, and a bare React Flow page to compare with. */
export default defineConfig({
  root: at(".."),
  base: "./",
  plugins: [react(), tailwindcss(), stylesheetsLast(), entryPoint("/perf/main.tsx")],
  resolve: { alias: { "@": at("../src") } },
  worker: { format: "es" },
  build: {
    outDir: at("./dist"),
    minify: process.env.PERF_READABLE ? false : undefined,
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1700,
    rollupOptions: { input: [at("../index.html"), at("./bare.html")] },
  },
  preview: { host: "127.0.0.1", port: 4194, strictPort: true },
});
