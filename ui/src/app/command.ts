/** A thing a person can do, listed in the command palette and in the shortcuts help. */
export type Command = {
  /** Stable, for tests and for React keys, for example `flow.save`. */
  id: string;
  title: string;
  /** The heading it stands under. */
  group: "Flow" | "Edit" | "View" | "Add" | "Run" | "Help";
  /** As shown, in the notation of `shortcuts.ts`: `Mod+S`, `Shift+A`, `?`. The first one is also bound. */
  keys?: string[];
  /** More words under which it is found. */
  terms?: string[];
  /** Whether it can be done now; absent: always. */
  enabled?: () => boolean;
  /** Also while a text field has the focus. */
  whileTyping?: boolean;
  run: () => void | Promise<void>;
};
