import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

/** Serves and builds the page with this entry point instead of the window's. */
export function entryPoint(path: string): Plugin {
  return {
    name: "entry-point",
    transformIndexHtml: {
      order: "pre",
      handler: (html) => html.replace("/src/main.tsx", path),
    },
  };
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** While the page is developed: builds the host (`tests/host`) and starts it on this port. It ends with Vite. */
export function developmentHost(port: number): Plugin {
  return {
    name: "development-host",
    apply: "serve",
    configureServer() {
      const args = ["run", "--quiet", "-p", "plait-test-host", "--", "--home", "target/dev-home", "--port", `${port}`];
      spawn("cargo", args, { cwd: ROOT, stdio: ["pipe", "inherit", "inherit"] });
    },
  };
}
