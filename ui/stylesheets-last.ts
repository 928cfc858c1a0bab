import type { Plugin } from "vite";

/** The order that Tailwind's stylesheet declares, which is loaded after those of parts that a page loads when it shows them. */
const LAYERS = "<style>@layer properties, theme, base, components, utilities;</style>";

/**
 * Moves the stylesheets of the built page behind its static shell, which has its own style, because a stylesheet in the head
 * delays the first paint. Scripts still wait for them. Stylesheets that are loaded later are added to the head, so before them:
 * the head declares the order of the layers.
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
        return rest.replace("  </head>", `    ${LAYERS}\n  </head>`).replace("  </body>", `${links.join("")}  </body>`);
      },
    },
  };
}
