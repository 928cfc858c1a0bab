import type { Plugin } from "vite";

/** Serves and builds the page with the mock host's entry point instead of the desktop's. */
export function mockHostEntry(): Plugin {
  return {
    name: "mock-host-entry",
    transformIndexHtml: {
      order: "pre",
      handler: (html) => html.replace("/src/main.tsx", "/mock-host/main.tsx"),
    },
  };
}
