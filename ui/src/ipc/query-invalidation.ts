/** Tells who shows a reply of the host when a command of this window has made it out of date. */
import type { CommandName } from "./host";

/** The queries that a command invalidates when it succeeds. */
const INVALIDATED_QUERIES: Partial<Record<CommandName, CommandName>> = {
  "flow.open": "flow.recent",
  "flow.save": "flow.recent",
  "flow.forget": "flow.recent",
  "templates.save": "templates.list",
  "templates.rename": "templates.list",
  "templates.remove": "templates.list",
  "grants.set": "grants.show",
  "grants.revoke": "grants.show",
  "suite.add": "suite.open",
};

export class QueryInvalidation {
  readonly #listeners = new Map<CommandName, Set<() => void>>();

  /** Calls back whenever a reply to `query` is out of date. Returns the function that ends the subscription. */
  subscribe(query: CommandName, listener: () => void): () => void {
    const listeners = this.#listeners.get(query) ?? new Set();
    this.#listeners.set(query, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Calls the listeners of the query that this command invalidates. */
  commandSucceeded(command: CommandName): void {
    const query = INVALIDATED_QUERIES[command];
    if (query !== undefined) for (const listener of this.#listeners.get(query) ?? []) listener();
  }
}
