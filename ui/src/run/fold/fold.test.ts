import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry } from "@/bindings";
import { compareEpochs, displayedEpoch, epochOf, formatIteration, indexOfEpoch } from "./epoch";
import { RunFold } from "./fold";
import { journalOf, readVectors } from "./test-vectors";
import type { NodeView } from "./types";

const vectors = readVectors();

function fold(...batches: Entry[][]): RunFold {
  const fold = new RunFold();
  for (const batch of batches) fold.apply(batch);
  return fold;
}

/** A journal cut into batches at these places. */
function split(journal: Entry[], cuts: number[]): Entry[][] {
  const places = [...new Set(cuts.map((cut) => cut % (journal.length + 1)))].sort((a, b) => a - b);
  return [...places, journal.length].map((end, index) => journal.slice(index === 0 ? 0 : places[index - 1], end));
}

/** Freezes all of it, so that a later change in place is an error. */
function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}

describe("the fold", () => {
  it("has the test vectors shared with the engine", () => {
    expect(vectors.length).toBeGreaterThanOrEqual(18);
  });

  it.each(vectors)("$name: $about", ({ journal, view }) => {
    expect(fold(journal).toView()).toEqual(view);
  });

  it("gives the same immutable view for any batching of the journal", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...vectors),
        fc.array(fc.nat({ max: 200 }), { maxLength: 12 }),
        ({ journal, view }, cuts) => {
          const fold = new RunFold();
          for (const batch of split(journal, cuts)) {
            fold.apply(batch);
            freeze(fold.toView());
          }
          expect(fold.toView()).toEqual(view);
        },
      ),
      { numRuns: 400 },
    );
  });

  it("ignores duplicate entries", () => {
    fc.assert(
      fc.property(fc.constantFrom(...vectors), fc.nat(), fc.nat(), ({ journal, view }, a, b) => {
        const place = a % (journal.length + 1);
        const back = Math.max(0, place - (b % 20));
        const again = journal.slice(back, place).filter((entry) => entry.seq !== undefined);
        expect(fold(journal.slice(0, place), again, journal.slice(place)).toView()).toEqual(view);
      }),
      { numRuns: 300 },
    );
  });

  it("keeps the identity of untouched parts", () => {
    const journal = journalOf("chat-cycle");
    const place = journal.findIndex((entry) => entry.type === "turn.committed");
    const before = fold(journal.slice(0, place));
    const [start, chat, context] = [
      before.nodes.get("start"),
      before.nodes.get("chat"),
      before.contexts.get("main")?.record.messageHistory,
    ];
    const changed = before.apply(journal.slice(place, place + 1));
    expect([...changed.nodes]).toEqual(["chat"]);
    expect([...changed.contexts]).toEqual(["main"]);
    expect(before.nodes.get("start")).toBe(start);
    expect(before.nodes.get("chat")).not.toBe(chat);
    expect(before.contexts.get("main")?.record.messageHistory).not.toBe(context);
  });

  it("clears open streams and nothing else", () => {
    const journal = journalOf("in-flight");
    const partial = fold(journal);
    expect(partial.clearStreams()).toEqual(["works"]);
    partial.apply(journal.filter((entry) => entry.seq === undefined));
    expect(partial.toView()).toEqual(fold(journal).toView());
    const cycle = journalOf("chat-cycle");
    expect(fold(cycle).clearStreams()).toEqual([]);
  });

  it("reports new entries in order and counts deltas", () => {
    const journal = journalOf("chat-cycle");
    const changed = new RunFold().apply([...journal, ...journal.filter((entry) => entry.seq !== undefined)]);
    expect(changed.entries).toEqual(journal.filter((entry) => entry.seq !== undefined));
    expect(changed.deltas).toBe(journal.filter((entry) => entry.seq === undefined).length);
  });
});

describe("epochs", () => {
  it("sort by time: outer counters first, a shorter path before what it encloses", () => {
    const epochs = [[], [0], [0, 0], [0, 1], [1], [1, 0], [10]];
    expect([...epochs].reverse().sort(compareEpochs)).toEqual(epochs);
  });

  it("are counted from one for people", () => {
    expect(formatIteration([])).toBe("");
    expect(formatIteration([2])).toBe("3");
    expect(formatIteration([2, 0])).toBe("3.1");
  });

  it("are found, or their insertion point is", () => {
    const node = fold(
      [2, 0, 1, 5].map((iteration, seq) => ({ seq, at: seq, type: "node.ready", node: "a", epoch: [iteration] })),
    ).nodes.get("a") as NodeView;
    expect(node.epochs.map((view) => view.epoch)).toEqual([[0], [1], [2], [5]]);
    expect([[0], [1], [2], [5]].map((epoch) => indexOfEpoch(node.epochs, epoch))).toEqual([0, 1, 2, 3]);
    expect([[], [3], [6]].map((epoch) => indexOfEpoch(node.epochs, epoch))).toEqual([-1, -4, -5]);
    expect(epochOf(node, [4])).toBeUndefined();
    expect(displayedEpoch(node)?.epoch).toEqual([5]);
  });
});
