/** Commands that show what can be done: the command palette and the list of shortcuts. */
import type { Command } from "@/workspace/commands/command";
import { NODE_REFERENCE } from "@/workspace/guide";

export const helpCommands: readonly Command[] = [
  {
    id: "help.palette",
    title: "Command palette",
    group: "Help",
    keys: ["Mod+K"],
    whileTyping: true,
    run: (workspace) => workspace.overlays.showPalette(),
  },
  {
    id: "help.quick",
    title: "Open command palette",
    group: "Help",
    keys: ["Space"],
    onCanvas: true,
    keyOnly: true,
    run: (workspace) => workspace.overlays.showPalette(),
  },
  {
    id: "help.guide",
    title: "Guide",
    group: "Help",
    keys: ["F1"],
    terms: ["help", "documentation", "manual", "docs"],
    whileTyping: true,
    run: (workspace) => workspace.guide.show(),
  },
  {
    id: "help.nodes",
    title: "Node reference",
    group: "Help",
    terms: ["help", "documentation", "guide", "types", "ports"],
    run: (workspace) => workspace.guide.goTo({ page: NODE_REFERENCE }),
  },
  {
    id: "help.shortcuts",
    title: "Keyboard shortcuts",
    group: "Help",
    keys: ["?"],
    run: (workspace) => workspace.overlays.showShortcuts(),
  },
];
