/** The breakpoints of the flow in view, in the order of the list: by the names of their nodes, those without a node last. */
import { useMemo } from "react";
import { useStore } from "zustand";
import type { Breakpoint, Flow, Side } from "@/bindings";
import { nameOf } from "@/run/debug/breakpoints";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useRunHead } from "@/workspace/run-hooks";

export type ListedBreakpoint = {
  breakpoint: Breakpoint;
  /** The name of its node; the id of one that is gone. */
  name: string;
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
  const { id, path = [], node, event, from, kind } = breakpoint;
  // The nodes of a sub-flow are not those of this flow.
  const first = path[0] ?? node;
  const isGone = first !== undefined && !(first in flow.nodes);
  // What waits for an event, or is on an edge, is called as it is written.
  if (node === undefined || event || from || kind) return { breakpoint, name: id, isGone };
  const [head = node] = path;
  const name = path.length > 0 ? [nameOfNode(head), ...path.slice(1), node].join(" › ") : nameOfNode(node);
  return { breakpoint, name, isGone };
}

export function sorted(all: readonly ListedBreakpoint[]): ListedBreakpoint[] {
  const rank = (one: ListedBreakpoint) => (one.isGone ? 1 : 0);
  return all.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      a.name.localeCompare(b.name) ||
      (a.breakpoint.node ?? "").localeCompare(b.breakpoint.node ?? "") ||
      SIDES.indexOf(a.breakpoint.side) - SIDES.indexOf(b.breakpoint.side) ||
      (a.breakpoint.port ?? "").localeCompare(b.breakpoint.port ?? ""),
  );
}
