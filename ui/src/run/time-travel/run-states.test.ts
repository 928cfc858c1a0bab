import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry } from "@/bindings";
import { RunFold } from "../fold/fold";
import { readVectors } from "../fold/test-vectors";
import type { RunState } from "../fold/types";
import { RunStates } from "./run-states";

/** Partial output has no place in the journal. */
const vectors = readVectors().map(({ name, journal }) => ({
  name,
  journal: journal.filter((entry) => entry.seq !== undefined),
}));

function freshlyFolded(journal: readonly Entry[]): RunState {
  const fold = new RunFold();
  fold.apply(journal);
  return fold;
}

function plain({ head, nodes, contexts }: RunState): object {
  return { head, nodes: Object.fromEntries(nodes), contexts: Object.fromEntries(contexts) };
}

/** More events than a few checkpoints: nodes that run again and again, and their loop. */
function longJournal(events: number): Entry[] {
  const started = { type: "run.started", run: "r", flow: { name: "", hash: "" } };
  const iteration = (index: number) => [
    { type: "node.ready", node: `n${index % 3}`, epoch: [index] },
    { type: "node.started", node: `n${index % 3}`, epoch: [index], attempt: 1 },
    { type: "node.finished", node: `n${index % 3}`, epoch: [index], outputs: { value: index }, metadata: {} },
  ];
  const all = [started, ...Array.from({ length: Math.ceil(events / 3) }, (_, index) => iteration(index)).flat()];
  return all.slice(0, events).map((entry, seq) => ({ seq, at: seq, ...entry }) as unknown as Entry);
}

describe("the state after each event", () => {
  it.each(vectors)("is that of a fresh fold of the prefix: $name", ({ journal }) => {
    const states = new RunStates(journal);
    for (let count = 0; count <= journal.length; count++) {
      expect(plain(states.after(count))).toEqual(plain(freshlyFolded(journal.slice(0, count))));
    }
  });

  it("does not depend on what was looked at before", () => {
    fc.assert(
      fc.property(fc.constantFrom(...vectors), fc.array(fc.nat(), { maxLength: 8 }), ({ journal }, visits) => {
        const states = new RunStates(journal);
        for (const visit of visits) {
          const count = visit % (journal.length + 1);
          expect(plain(states.after(count))).toEqual(plain(freshlyFolded(journal.slice(0, count))));
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ["forward", [0, 1, 1023, 1024, 1025, 2048, 3999, 4000]],
    ["back", [4000, 3999, 2048, 1025, 1024, 1023, 1, 0]],
    ["in any order", [2500, 0, 4000, 1024, 3072, 1024, 2047]],
  ])("is right around checkpoints, %s", (_, counts) => {
    const journal = longJournal(4000);
    const states = new RunStates(journal);
    for (const count of counts) {
      expect(plain(states.after(count))).toEqual(plain(freshlyFolded(journal.slice(0, count))));
    }
  });

  it("counts events that came since", () => {
    const journal = longJournal(1500);
    const growing = journal.slice(0, 1000);
    const states = new RunStates(growing);
    const before = plain(states.after(1000));
    growing.push(...journal.slice(1000));
    expect(plain(states.after(1500))).toEqual(plain(freshlyFolded(journal)));
    expect(plain(states.after(1000))).toEqual(before);
  });
});
