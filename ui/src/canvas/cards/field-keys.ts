/** The keys of a text field on a card. All others go on to the window: Save and Stop work while one writes. */
import type { KeyboardEvent } from "react";

/** With Shift one selects text there; to the canvas it would mean selecting nodes. */
const OWN_KEYS = ["Enter", "Escape", "Shift"];

export function keepOwnKeys(event: KeyboardEvent): void {
  // With Ctrl or ⌘, Enter runs the flow.
  const isShortcut = event.ctrlKey || event.metaKey;
  if (!isShortcut && OWN_KEYS.includes(event.key)) event.stopPropagation();
}
