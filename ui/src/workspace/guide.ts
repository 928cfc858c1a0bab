/** Where the guide is, and where it was. Its pages are loaded when it is first opened. */

import { createStore, type StoreApi } from "zustand/vanilla";
import { headingAnchor } from "@/design/markdown/heading-anchor";

/** A place in the guide. */
export type GuidePlace = {
  /** The file of the page in `docs/`, such as `loops.md`. */
  page: string;
  /** The heading to begin at. */
  anchor?: string;
  /** The row of a table to begin at: the code in its first cell. */
  row?: string;
};

export type GuideState = {
  /** What was opened, as in a browser; `current` is an index of it. */
  visited: readonly GuidePlace[];
  current: number;
};

export const FIRST_PAGE = "first-flow.md";
export const NODE_REFERENCE = "nodes.md";
const ERROR_CODES = "error-codes.md";

/** The pages that a person went back to are kept up to this many. */
const MAX_VISITED = 100;

export class GuideStore {
  readonly store: StoreApi<GuideState> = createStore<GuideState>(() => ({
    visited: [{ page: FIRST_PAGE }],
    current: 0,
  }));

  constructor(readonly showPage: () => void) {}

  /** Opens the guide where it was left. */
  show(): void {
    this.showPage();
  }

  /** Opens the guide at a place. The places after the current one are forgotten, as in a browser. */
  goTo(place: GuidePlace): void {
    this.store.setState(({ visited, current }) => {
      const next = [...visited.slice(0, current + 1), place].slice(-MAX_VISITED);
      return { visited: next, current: next.length - 1 };
    });
    this.showPage();
  }

  explainNode(title: string): void {
    this.goTo({ page: NODE_REFERENCE, anchor: headingAnchor(title) });
  }

  explainError(code: string): void {
    this.goTo({ page: ERROR_CODES, row: code });
  }

  back(): void {
    this.store.setState(({ current }) => ({ current: Math.max(0, current - 1) }));
  }

  forward(): void {
    this.store.setState(({ visited, current }) => ({ current: Math.min(visited.length - 1, current + 1) }));
  }
}
