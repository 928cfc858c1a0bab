/** The breakpoints of the flow in view, in the order of the list: by the names of their nodes, those without a node last. */
import { useMemo } from "react";
import { useStore } from "zustand";
import type { Breakpoint, Flow, Side } from "@/bindings";
import { isPlaceIn } from "@/run/debug/breakpoints";
import { nameOf } from "@/run/debug/kept-by-flow";
import { type PlaceWords, placeWords } from "@/workspace/breakpoints/place-words";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useRunHead } from "@/workspace/run-hooks";

export type ListedBreakpoint = {
  breakpoint: Breakpoint;
  /** Where it is. A node that is gone is called by its id. */
  words: PlaceWords;
  /** Whether the flow has no such place now. */
  isGone: boolean;
};

export type BreakpointList = {
  /** What they belong to: the document, a run that is looked at, or nothing, inside of a node. */
  of: "document" | "run" | "inner";
  all: readonly ListedBreakpoint[];
};

const NONE: readonly Breakpoint[] = [];
const SIDES: readonly Side[] = ["before", "call", "after"];

export function useBreakpointList(): BreakpointList {
  const { breakpoints, nodeNames } = useWorkspace();
  const viewed = useFlow((state) => state.viewing?.flow);
  const flow = useFlow((state) => state.flow);
  const isInner = useFlow((state) => state.outer !== undefined);
  const name = useFlow(nameOf);
  const ofDocument = useStore(breakpoints.store, (state) => state[name] ?? NONE);
  const ofRun = useRunHead((head) => head.breakpoints) ?? NONE;
  const of = viewed ? "run" : isInner ? "inner" : "document";
  return useMemo(() => {
    const shown = of === "inner" ? NONE : of === "run" ? ofRun : ofDocument;
    const named = shown.map((breakpoint) => listed(breakpoint, viewed ?? flow, (id) => nodeNames.nameOf(id)));
    return { of, all: sorted(named) };
  }, [of, ofRun, ofDocument, viewed, flow, nodeNames]);
}

function listed(breakpoint: Breakpoint, flow: Flow, nameOfNode: (id: string) => string): ListedBreakpoint {
  return { breakpoint, words: placeWords(breakpoint, nameOfNode), isGone: !isPlaceIn(flow, breakpoint) };
}

export function sorted(all: readonly ListedBreakpoint[]): ListedBreakpoint[] {
  const rank = (one: ListedBreakpoint) => (one.isGone ? 1 : 0);
  return all.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      a.words.node.localeCompare(b.words.node) ||
      (a.breakpoint.node ?? "").localeCompare(b.breakpoint.node ?? "") ||
      SIDES.indexOf(a.breakpoint.side) - SIDES.indexOf(b.breakpoint.side) ||
      (a.breakpoint.port ?? "").localeCompare(b.breakpoint.port ?? "") ||
      a.words.at.localeCompare(b.words.at),
  );
}
