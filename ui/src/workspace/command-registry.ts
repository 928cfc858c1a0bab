/** The commands of a window, bound to its workspace. Menus, buttons and shortcuts run them by id. */
import type { Command } from "./command";
import type { Workspace } from "./workspace";

export class CommandRegistry {
  readonly #byId: ReadonlyMap<string, Command>;

  constructor(
    /** In the order of the command palette. */
    readonly list: readonly Command[],
    readonly workspace: Workspace,
  ) {
    this.#byId = new Map(list.map((command) => [command.id, command]));
  }

  /** A command by its id. Throws when there is none: the id in the code is wrong then. */
  get(id: string): Command {
    const command = this.#byId.get(id);
    if (!command) throw new Error(`There is no command ${id}.`);
    return command;
  }

  isEnabled(command: Command): boolean {
    return command.enabled?.(this.workspace) ?? true;
  }

  run(command: Command | string): void {
    const { run } = typeof command === "string" ? this.get(command) : command;
    void run(this.workspace);
  }
}
