import type { Workspace } from "@/workspace/workspace";

/** A thing a person can do, listed in the command palette, in the list of shortcuts and in menus. */
export type Command = {
  /** Stable: tests and menus name it, for example `flow.save`. */
  id: string;
  title: string;
  /** The heading it is listed under. */
  group: CommandGroup;
  /** Shortcuts in the notation of `design/keys/keys.ts`: `Mod+S`, `Shift+L`, `?`. All work, the first is shown. */
  keys?: string[];
  /** More words the palette finds it by. */
  terms?: string[];
  /** Whether it can run now. Absent: always. */
  enabled?: (workspace: Workspace) => boolean;
  /** For a switch: whether it is on. */
  checked?: (workspace: Workspace) => boolean;
  /** Its keys also work while a text field has the focus. */
  whileTyping?: boolean;
  /** Its keys also work in a field that a new node brought the focus to, until something is typed there. */
  whileUntouched?: boolean;
  /** Runs again and again while its keys are held down. */
  whileHeld?: boolean;
  /** Its keys only work on the canvas or when nothing has the focus, not in a panel. */
  onCanvas?: boolean;
  /** Needs the key or click itself: browsers give the clipboard to nobody later. */
  needsGesture?: boolean;
  /** Not listed in the palette: it only makes sense as a key. */
  keyOnly?: boolean;
  run: (workspace: Workspace) => unknown;
};

export type CommandGroup = "Flow" | "Run" | "Edit" | "Arrange" | "View" | "Help";

export const GROUPS: readonly CommandGroup[] = ["Flow", "Run", "Edit", "Arrange", "View", "Help"];
