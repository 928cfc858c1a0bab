/** Commands that show what can be done: the command palette and the list of shortcuts. */
import type { Command } from "@/workspace/command";

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
    id: "help.shortcuts",
    title: "Keyboard shortcuts",
    group: "Help",
    keys: ["?"],
    run: (workspace) => workspace.overlays.showShortcuts(),
  },
];
