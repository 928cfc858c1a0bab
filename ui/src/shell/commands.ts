/** Every command of the window, in one list: what has no command here cannot be done. */
import { editCommands } from "@/canvas/edit-commands";
import { viewCommands } from "@/canvas/view-commands";
import { showPalette, showShortcuts } from "@/workbench/overlays";
import type { Command } from "@/workspace/command";
import { registerCommands } from "@/workspace/commands";
import { flowCommands } from "./commands/flow";
import { runCommands } from "./commands/run";
import { windowCommands } from "./commands/window";

export const COMMANDS: readonly Command[] = [
  ...flowCommands,
  ...runCommands(),
  ...editCommands,
  ...viewCommands,
  ...windowCommands,
  {
    id: "help.palette",
    title: "Find a command or a node",
    group: "Help",
    keys: ["Mod+K"],
    whileTyping: true,
    run: () => showPalette(),
  },
  {
    id: "help.quick",
    title: "Add a node or find a command",
    group: "Help",
    keys: ["Space"],
    onCanvas: true,
    keyOnly: true,
    run: () => showPalette(),
  },
  { id: "help.shortcuts", title: "Keyboard shortcuts", group: "Help", keys: ["?"], run: showShortcuts },
];

registerCommands(COMMANDS);
