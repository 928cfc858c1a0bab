/** Every command of the window, in the order of the command palette. Adding one: an entry in the file of its group. */
import { editCommands } from "@/canvas/edit-commands";
import { imageCommands } from "@/canvas/image-commands";
import { viewCommands } from "@/canvas/view-commands";
import type { Command } from "@/workspace/command";
import { flowCommands } from "./flow";
import { helpCommands } from "./help";
import { panelCommands } from "./panels";
import { runCommands } from "./run";
import { windowCommands } from "./window";

export const COMMANDS: readonly Command[] = [
  ...flowCommands,
  ...runCommands,
  ...editCommands,
  ...imageCommands,
  ...viewCommands,
  ...windowCommands,
  ...panelCommands,
  ...helpCommands,
];
