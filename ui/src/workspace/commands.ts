/** The commands of the window. The shell registers them; menus, buttons and panels run them by id. */
import type { Command } from "./command";

const byId = new Map<string, Command>();

export function registerCommands(commands: readonly Command[]): void {
  for (const command of commands) byId.set(command.id, command);
}

/** All commands, in the order they were registered. */
export function allCommands(): readonly Command[] {
  return [...byId.values()];
}

/** A command by its id. Throws when there is none: an id in the code is wrong then. */
export function command(id: string): Command {
  const found = byId.get(id);
  if (!found) throw new Error(`There is no command ${id}.`);
  return found;
}
