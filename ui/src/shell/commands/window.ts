/** Commands that open and fold the parts of the window. */

import type { Command } from "@/workspace/command";
import type { Part } from "@/workspace/layout";

export const windowCommands: readonly Command[] = [
  {
    id: "view.searchNodes",
    title: "Search node types",
    group: "View",
    keys: ["/"],
    run: (workspace) => {
      workspace.layout.showPanel("nodes");
      // The panel may only just be unfolding.
      requestAnimationFrame(() => document.getElementById("palette-search")?.focus());
    },
  },
  part("left", "Toggle left panel", "Mod+B"),
  part("right", "Toggle inspector", "Mod+I"),
  part("dock", "Toggle dock", "Mod+J"),
  {
    id: "view.theme",
    title: "Toggle light/dark theme",
    group: "View",
    terms: ["theme", "color", "mode"],
    run: (workspace) => {
      const dark = document.documentElement.dataset.theme === "dark";
      workspace.settings.change({ theme: dark ? "light" : "dark" });
    },
  },
  {
    id: "view.reducedMotion",
    title: "Toggle reduced motion",
    group: "View",
    terms: ["animation", "reduced motion"],
    run: (workspace) => workspace.settings.change({ reducedMotion: !workspace.settings.current.reducedMotion }),
  },
];

function part(name: Part, title: string, keys: string): Command {
  return {
    id: `view.fold.${name}`,
    title,
    group: "View",
    keys: [keys],
    terms: ["panel", "toggle", "hide"],
    whileTyping: true,
    run: (workspace) => workspace.layout.toggle(name),
  };
}
