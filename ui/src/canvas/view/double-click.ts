/** How long after a press another one makes a double click of it, in milliseconds: as most systems have it. */
const DOUBLE_CLICK_MS = 500;

/** Puts off what moves things under the pointer while a press may still become a double click, or a drag. */
export class DoubleClickGuard {
  #isPressed = false;
  #pressedAt = Number.NEGATIVE_INFINITY;
  #act: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Follows the pointer. Returns a function that stops it, and forgets what was put off. */
  follow(target: EventTarget = window): () => void {
    const press = () => {
      this.#isPressed = true;
      this.#pressedAt = performance.now();
      clearTimeout(this.#timer);
    };
    const release = () => {
      this.#isPressed = false;
      this.#schedule();
    };
    const releases = ["pointerup", "pointercancel"];
    target.addEventListener("pointerdown", press, true);
    for (const name of releases) target.addEventListener(name, release, true);
    return () => {
      target.removeEventListener("pointerdown", press, true);
      for (const name of releases) target.removeEventListener(name, release, true);
      clearTimeout(this.#timer);
      this.#act = undefined;
    };
  }

  /** Does it at once, or as soon as the press before can be no double click. What was put off before is forgotten. */
  run(act: () => void): void {
    this.#act = act;
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isPressed || !this.#act) return;
    const left = this.#pressedAt + DOUBLE_CLICK_MS - performance.now();
    if (left > 0) this.#timer = setTimeout(() => this.#schedule(), left);
    else {
      const act = this.#act;
      this.#act = undefined;
      act();
    }
  }
}
