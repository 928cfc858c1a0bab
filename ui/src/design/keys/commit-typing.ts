import { isTyping } from "./keys";

/**
 * Commits the text in the field with the focus, as if the field was left, and leaves the focus there. To be called
 * before the document is read as a whole (saved, run) or another one is shown.
 */
export function commitTyping(): void {
  const field = document.activeElement;
  if (!(field instanceof HTMLElement) || !isTyping(field)) return;
  field.blur();
  if (document.activeElement === document.body) field.focus({ preventScroll: true });
}
