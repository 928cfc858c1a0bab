/** Commands that open and fold the parts of the window. */

import { type Part, showPanel, toggle } from "@/workbench/layout";
import { changeSettings, settingsStore } from "@/workbench/settings";
import type { Command } from "@/workspace/command";

export const windowCommands: readonly Command[] = [
  {
    id: "view.searchNodes",
    title: "Search the node types",
    group: "View",
    keys: ["/"],
    run: () => {
      showPanel("nodes");
      // The panel may only just be unfolding.
      requestAnimationFrame(() => document.getElementById("palette-search")?.focus());
    },
  },
  part("left", "Fold or unfold the left panel", "Mod+B"),
  part("right", "Fold or unfold the inspector", "Mod+I"),
  part("dock", "Fold or unfold the dock", "Mod+J"),
  {
    id: "view.theme",
    title: "Switch between light and dark",
    group: "View",
    terms: ["theme", "colour", "color", "mode"],
    run: () => {
      const dark = document.documentElement.dataset.theme === "dark";
      changeSettings({ theme: dark ? "light" : "dark" });
    },
  },
  {
    id: "view.reducedMotion",
    title: "Switch movement on or off",
    group: "View",
    terms: ["animation", "reduced motion"],
    run: () => changeSettings({ reducedMotion: !settingsStore.getState().reducedMotion }),
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
    run: () => toggle(name),
  };
}
