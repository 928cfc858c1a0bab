/** The marks of ports with a breakpoint. */
import { useMemo } from "react";
import { useStore } from "zustand";
import type { NodeId, PortName } from "@/bindings";
import type { Side } from "@/flow/connect/ports";
import { isAt } from "@/run/debug/breakpoints";
import { nameOf } from "@/run/debug/kept-by-flow";
import { useFlow, useWorkspace } from "@/workspace/context";

/** Whether runs pause where a value comes in or leaves, or a breakpoint there is turned off. */
export type PortMark = "on" | "off";

/** The marks of a node's ports, by side and port. One look for all of them, since most nodes have none. */
export function usePortMarks(node: NodeId): (side: Side, port: PortName) => PortMark | undefined {
  const { breakpoints } = useWorkspace();
  const name = useFlow((state) => (state.outer === undefined && !state.viewing ? nameOf(state) : undefined));
  // One text, so that a card is drawn again only if its own marks change.
  const marks = useStore(breakpoints.store, (state) => {
    const own = (name === undefined ? undefined : state[name])?.filter(
      (one) => one.port && isAt(one, node, one.side, one.port),
    );
    if (!own || own.length === 0) return "";
    const all = own.map(({ side, port, disabled }) => [`${side === "before" ? "in" : "out"} ${port}`, !disabled]);
    return JSON.stringify(all);
  });
  return useMemo(() => {
    if (marks === "") return none;
    const all = new Map(JSON.parse(marks) as [string, boolean][]);
    return (side: Side, port: PortName) => {
      const isOn = all.get(`${side} ${port}`);
      return isOn === undefined ? undefined : isOn ? "on" : "off";
    };
  }, [marks]);
}

function none(): undefined {
  return undefined;
}
