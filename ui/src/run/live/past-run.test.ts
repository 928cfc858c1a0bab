import { expect, it } from "vitest";
import type { Entry } from "@/bindings";
import { readVectors } from "../fold/test-vectors";
import { ActiveRun } from "./active-run";
import { PastRun, type ShownRun } from "./past-run";
import { showRun } from "./test-run";
import { ViewMotion } from "./view-motion";

const journals = readVectors().map(({ name, journal }) => ({
  name,
  journal: journal.filter((entry) => entry.seq !== undefined),
}));

const followed = (journal: readonly Entry[]) => showRun(new ActiveRun(new ViewMotion()), journal);

/** All that can be read of a run. */
function readAll({ fold, log, order }: ShownRun, journal: readonly Entry[]): object {
  const seqs = [undefined, ...journal.map(({ seq }) => seq)];
  const activations = journal.flatMap((entry) => ("node" in entry && "epoch" in entry ? [entry] : []));
  return {
    head: fold.head,
    nodes: [...fold.nodes],
    contexts: [...fold.contexts],
    order: [...order].sort(),
    entries: log.entries,
    hasChildren: log.hasChildren,
    contextsAt: [...fold.contexts.keys()].map((id) => seqs.map((seq) => log.contextAt(id, seq))),
    memories: seqs.map((seq) => log.memoryAt(seq)),
    ends: activations.map(({ node, epoch }) => log.endOf(node, epoch)),
  };
}

it.each(journals)("reads like a run that has come just there: $name", ({ journal }) => {
  const session = followed(journal);
  const { entries } = session.log;
  for (let count = 1; count <= entries.length; count++) {
    const known = entries.slice(0, count);
    expect(readAll(new PastRun(session, count), known)).toEqual(readAll(followed(known), known));
  }
});
