/** The in-page host's runs. */
import type { Entry, RunId } from "@/bindings";

export type InPageRuns = {
  commands: Record<string, (args: never) => unknown>;
  watch(run: RunId, fromSeq: number, onBatch: (entries: Entry[]) => void): () => void;
};

export function inPageRuns(_env: { now(): number }): InPageRuns {
  return { commands: {}, watch: () => () => undefined };
}
