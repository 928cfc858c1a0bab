import type { Plugin } from "vite";

/**
 * Moves the stylesheets of the built page behind its static shell, which has its own style, because a stylesheet in the head
 * delays the first paint. Scripts still wait for them.
 */
export function stylesheetsLast(): Plugin {
  return {
    name: "stylesheets-last",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html) => {
        const links = html.match(/^ *<link rel="stylesheet"[^>]*>\n/gm) ?? [];
        const rest = links.reduce((page, link) => page.replace(link, ""), html);
        return rest.replace("  </body>", `${links.join("")}  </body>`);
      },
    },
  };
}
