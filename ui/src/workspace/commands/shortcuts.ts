/** The shortcuts that a person changed, by the id of their command. None of a command with an empty list: it was removed. */
import type { SettingsStore } from "@/workspace/settings/settings";

const SETTING = "shortcuts";

/** What of a command this is about. */
type WithKeys = { id: string; keys?: string[] };

export type Shortcuts = Readonly<Record<string, readonly string[]>>;

const NONE: Shortcuts = {};

export class ShortcutStore {
  constructor(readonly settings: SettingsStore) {}

  get changed(): Shortcuts {
    return this.settings.remembered<Shortcuts>(SETTING) ?? NONE;
  }

  /** Gives a command these keys only, and takes them from the command that has them. */
  set(command: WithKeys, keys: string, owner?: WithKeys): void {
    const taken = owner && { [owner.id]: (owner.keys ?? []).filter((one) => one !== keys) };
    this.#change({ ...this.changed, ...taken, [command.id]: [keys] });
  }

  remove(command: WithKeys): void {
    this.#change({ ...this.changed, [command.id]: [] });
  }

  /**
   * Gives a command its own keys again, and takes them from the commands that have them now. A command without keys
   * left gets its own back, except keys that belong to another by now. `commands` have their default keys.
   */
  reset(id: string, commands: readonly WithKeys[]): void {
    const ownOf = (command: string) => commands.find((one) => one.id === command)?.keys ?? [];
    const { [id]: _, ...others } = this.changed;
    const taken = new Set([...ownOf(id), ...Object.values(others).flat()]);
    const left = Object.entries(others).map(([other, keys]) => {
      const kept = keys.filter((one) => !ownOf(id).includes(one));
      const isBare = kept.length === 0 && keys.length > 0;
      return [other, isBare ? ownOf(other).filter((one) => !taken.has(one)) : kept] as const;
    });
    this.#change(Object.fromEntries(left));
  }

  resetAll(): void {
    this.#change(NONE);
  }

  #change(shortcuts: Shortcuts): void {
    this.settings.remember(SETTING, shortcuts);
  }
}

/** The commands with the keys that a person gave them. */
export function withShortcuts<C extends WithKeys>(commands: readonly C[], changed: Shortcuts): readonly C[] {
  if (Object.keys(changed).length === 0) return commands;
  return commands.map((command) => {
    const keys = changed[command.id];
    return keys === undefined ? command : { ...command, keys: [...keys] };
  });
}

/** The other command that these keys belong to. */
export function ownerOf<C extends WithKeys>(commands: readonly C[], keys: string, except: C): C | undefined {
  return commands.find((one) => one.id !== except.id && one.keys?.includes(keys));
}
