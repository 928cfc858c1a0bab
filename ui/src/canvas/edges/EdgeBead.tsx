import { useStore } from "zustand";
import type { EdgeId } from "@/bindings";
import { TEXTS } from "@/canvas/texts";
import type { Point } from "@/flow/align/align";
import { isOn } from "@/run/debug/breakpoints";
import { nameOf } from "@/run/debug/kept-by-flow";
import { useFlow, useWorkspace } from "@/workspace/context";

/** The bead of an edge with a breakpoint. */
export function EdgeBead({ edge: id, at }: { edge: EdgeId; at: Point }) {
  const { breakpoints } = useWorkspace();
  const name = useFlow((state) => (state.outer === undefined && !state.viewing ? nameOf(state) : undefined));
  const edge = useFlow(({ flow }) => flow.edges[id]);
  const set = useStore(breakpoints.store, (state) =>
    name === undefined || !edge ? undefined : state[name]?.find((one) => isOn(one, edge)),
  );
  if (!set) return null;
  return (
    <circle
      className="edge-bead"
      cx={at.x}
      cy={at.y}
      r={5}
      data-state={set.disabled ? "off" : "on"}
      data-testid={`bead-edge-${id}`}
    >
      <title>{TEXTS.pausesOnEdge}</title>
    </circle>
  );
}
