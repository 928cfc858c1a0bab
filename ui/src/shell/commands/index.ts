/** Every command of the window, in the order of the command palette. Adding one: an entry in the file of its group. */
import { editCommands } from "@/canvas/commands/edit-commands";
import { imageCommands } from "@/canvas/image/image-commands";
import { viewCommands } from "@/canvas/view/view-commands";
import type { Command } from "@/workspace/commands/command";
import { comparisonCommands } from "./comparison";
import { debugCommands } from "./debug";
import { flowCommands } from "./flow";
import { helpCommands } from "./help";
import { hostCommands } from "./hosts";
import { panelCommands } from "./panels";
import { runCommands } from "./run";
import { timeTravelCommands } from "./time-travel";
import { windowCommands } from "./window";

export const COMMANDS: readonly Command[] = [
  ...flowCommands,
  ...hostCommands,
  ...runCommands,
  ...debugCommands,
  ...timeTravelCommands,
  ...editCommands,
  ...imageCommands,
  ...viewCommands,
  ...comparisonCommands,
  ...windowCommands,
  ...panelCommands,
  ...helpCommands,
];
