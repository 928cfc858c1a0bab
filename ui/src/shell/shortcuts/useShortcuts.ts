/** Binds the commands' shortcuts, once, for the whole window. */
import { useEffect } from "react";
import { isTyping, matches } from "@/design/keys/keys";
import { useCommands } from "@/workspace/context";

/** These have keys of their own, until they close. */
export const OWN_KEYS = ":is([role=dialog], [role=alertdialog], [role=menu], [data-own-keys]):not([data-closed])";
/** Controls that use Space, Enter and the arrow keys without modifiers. */
const CONTROLS =
  "button, a, select, summary, [role=tab], [role=separator], [role=switch], [role=treeitem], [role=listbox], [role=option]";
const CONTROL_KEYS = /^(?: |Enter|Arrow\w+)$/;

/** Executes the command of a pressed shortcut, unless a dialog or a text field has the keyboard. */
export function useShortcuts(): void {
  const commands = useCommands();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const target = event.target instanceof Element ? event.target : document.body;
      if (target.closest(OWN_KEYS)) return;
      commands.workspace.overlays.finishPalette();
      if (isAlone(event) && CONTROL_KEYS.test(event.key) && target.closest(CONTROLS)) return;
      // The canvas behind a page is as little meant as that beside a text field.
      const behindPage = commands.workspace.layout.store.getState().page !== undefined;
      const typing = isTyping(event.target) || behindPage;
      const untouched = target instanceof HTMLElement && target.dataset.untouched !== undefined;
      const onCanvas = target === document.body || target.closest(".canvas") !== null;
      const command = commands.list.find(
        (one) =>
          (!typing || (one.whileTyping && !typesCharacter(event)) || (untouched && one.whileUntouched)) &&
          (!one.onCanvas || onCanvas) &&
          one.keys?.some((keys) => matches(event, keys)) &&
          commands.isEnabled(one),
      );
      if (!command) return;
      event.preventDefault();
      if (!event.repeat || command.whileHeld) commands.run(command);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [commands]);
}

/** Whether the keys are text for a field: each character can be typed, also if it is a shortcut. */
function typesCharacter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

function isAlone({ ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return !ctrlKey && !metaKey && !altKey && !shiftKey;
}
