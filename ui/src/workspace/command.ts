/** A thing a person can do, listed in the command palette, in the shortcuts help and in menus. */
export type Command = {
  /** Stable, for tests and for React keys, for example `flow.save`. */
  id: string;
  title: string;
  /** The heading it stands under. */
  group: CommandGroup;
  /** Shortcuts in the notation of `look/keys.ts`, all of them bound: `Mod+S`, `Shift+L`, `?`. The first is shown. */
  keys?: string[];
  /** More words under which it is found. */
  terms?: string[];
  /** Whether it can be done now; absent: always. */
  enabled?: () => boolean;
  /** Its keys also work while a text field has the focus. */
  whileTyping?: boolean;
  /** Holding its keys down does it again and again; else once. */
  whileHeld?: boolean;
  /** Its keys only work on the canvas (or where nothing has the focus), not in a panel. */
  onCanvas?: boolean;
  /** Not worth a line in the command palette: it only makes sense as a key. */
  keyOnly?: boolean;
  run: () => unknown;
};

export type CommandGroup = "Flow" | "Run" | "Edit" | "Arrange" | "View" | "Help";

export const GROUPS: readonly CommandGroup[] = ["Flow", "Run", "Edit", "Arrange", "View", "Help"];
