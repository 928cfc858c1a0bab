/** Replies that the host has written into the page, for the first render: it then needs to ask for nothing. */
import type { CommandName, Reply } from "./host";

/** The element with the replies: `ELEMENT` of `src-tauri/desktop/first_state.rs`. */
const FIRST_REPLIES = "first-replies";

/** Each is given once: a later reply may differ. */
export class FirstReplies {
  readonly #replies: Map<string, unknown>;
  /** Whether the host has written any, so that it is open. */
  readonly arePresent: boolean;

  constructor(page: Document) {
    const text = page.getElementById(FIRST_REPLIES)?.textContent;
    this.#replies = new Map(Object.entries(text ? (JSON.parse(text) as object) : {}));
    this.arePresent = this.#replies.size > 0;
  }

  take<C extends CommandName>(name: C): Reply<C> | undefined {
    const reply = this.#replies.get(name);
    this.#replies.delete(name);
    return reply as Reply<C> | undefined;
  }
}
