/** Keeps keys that are typed between the key that opens a field and its focus. */
import { isTyping } from "@/design/keys/keys";

const DIALOG = "[role=dialog], [role=alertdialog]";

export class TypeAhead {
  #text = "";
  #cancel: (() => void) | undefined;

  /** Call before the field is opened. `cancel` closes it again: Escape may come before the field does. */
  begin(cancel: () => void): void {
    this.#text = "";
    this.#cancel = cancel;
    // In the capture phase, before the shortcuts and the field that has the focus so far.
    document.addEventListener("keydown", this.#onKeyDown, { capture: true });
    document.addEventListener("pointerdown", this.#onPointerDown, { capture: true });
  }

  /** Returns what was typed so far and ends. Call when the field has the focus. */
  take(): string {
    const text = this.#text;
    this.end();
    return text;
  }

  end(): void {
    this.#text = "";
    this.#cancel = undefined;
    document.removeEventListener("keydown", this.#onKeyDown, { capture: true });
    document.removeEventListener("pointerdown", this.#onPointerDown, { capture: true });
  }

  /** A press elsewhere moves the keyboard there. */
  readonly #onPointerDown = () => this.end();

  readonly #onKeyDown = (event: KeyboardEvent) => {
    const { target, key } = event;
    if (isTyping(target) && target instanceof Element && target.closest(DIALOG)) return;
    const typesText = key.length === 1 && (event.getModifierState("AltGraph") || !hasModifier(event));
    // Other shortcuts keep working, and an input method can't be held back.
    if (event.isComposing || (hasModifier(event) && !typesText)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (typesText) this.#text += key;
    else if (key === "Backspace") this.#text = [...this.#text].slice(0, -1).join("");
    else if (key === "Escape") this.#cancel?.();
  };
}

function hasModifier({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey;
}
