/** The commands of a window, bound to its workspace. Menus, buttons and shortcuts run them by id. */

import type { Workspace } from "@/workspace/workspace";
import type { Command } from "./command";
import { type Shortcuts, withShortcuts } from "./shortcuts";

export class CommandRegistry {
  /** In the order of the command palette, with the shortcuts that a person gave them. */
  readonly list: readonly Command[];
  readonly #byId: ReadonlyMap<string, Command>;

  constructor(
    readonly own: readonly Command[],
    readonly workspace: Workspace,
    shortcuts: Shortcuts = {},
  ) {
    this.list = withShortcuts(own, shortcuts);
    this.#byId = new Map(this.list.map((command) => [command.id, command]));
  }

  /** A command by its id. Throws when there is none: the id in the code is wrong then. */
  get(id: string): Command {
    const command = this.#byId.get(id);
    if (!command) throw new Error(`There is no command ${id}.`);
    return command;
  }

  /** The shortcut of a command to show beside it. */
  keysOf(id: string): string | undefined {
    return this.#byId.get(id)?.keys?.[0];
  }

  isEnabled(command: Command): boolean {
    return command.enabled?.(this.workspace) ?? true;
  }

  run(command: Command | string): void {
    const { run } = typeof command === "string" ? this.get(command) : command;
    void run(this.workspace);
  }
}
