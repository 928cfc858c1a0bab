/** Whether a question of a run may take the focus: never from a field in which someone types, or from a dialog. */
import { isTyping } from "@/design/keys/keys";

const USES = ["input", "keydown", "pointerdown", "focusin"] as const;
const DIALOG = "[role=dialog], [role=alertdialog]";

export class FocusClaim {
  /** Where the run was started, as long as nobody has used that or any other part of the window since. */
  #startedIn: Element | undefined;

  /** Call when a run starts. */
  begin(): void {
    this.#startedIn = document.activeElement ?? undefined;
    // The key or the click that starts the run is over by then.
    setTimeout(() => {
      for (const use of USES) document.addEventListener(use, this.#used, { capture: true });
    });
  }

  mayTakeFocus(): boolean {
    const active = document.activeElement;
    if (active?.closest(DIALOG)) return false;
    return !isTyping(active) || active === this.#startedIn;
  }

  readonly #used = () => {
    this.#startedIn = undefined;
    for (const use of USES) document.removeEventListener(use, this.#used, { capture: true });
  };
}
