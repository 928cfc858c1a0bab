import { useStore } from "zustand";
import type { NodeId, Side } from "@/bindings";
import { TEXTS } from "@/canvas/texts";
import { isAt } from "@/run/debug/breakpoints";
import { nameOf } from "@/run/debug/kept-by-flow";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useRunHead } from "@/workspace/run-hooks";

const SIDES: readonly Side[] = ["before", "call", "after"];

/** The beads of a card: where runs pause at its node. On the left before it, within it before each call, on the right after it. */
export function Breakpoints({ node }: { node: NodeId }) {
  const { breakpoints } = useWorkspace();
  const name = useFlow((state) => (state.outer === undefined && !state.viewing ? nameOf(state) : undefined));
  // One text, so that a card is drawn again only if its own place changes.
  const held = useRunHead(({ stops = [] }) =>
    stops.flatMap(({ at }) => (at?.node === node ? [at.side] : [])).join(" "),
  );
  // One text, so that a card is drawn again only if its own beads change.
  const beads = useStore(breakpoints.store, (state) => {
    const own = (name === undefined ? undefined : state[name])?.filter((one) => isAt(one, node, one.side)) ?? [];
    return own.map(({ side, disabled }) => `${side}:${disabled ? "off" : "on"}`).join(" ");
  });
  if (beads === "" && held === "") return null;
  const heldSides = new Set(held.split(" "));
  const shown = new Map(beads.split(" ").map((bead) => bead.split(":") as [Side, string]));
  return SIDES.map((side) => {
    const isHere = heldSides.has(side);
    const state = shown.get(side);
    if (state === undefined && !isHere) return null;
    return (
      <i
        key={side}
        className="bead"
        data-side={side}
        data-state={state ?? "none"}
        data-here={isHere || undefined}
        title={isHere ? TEXTS.pausedHere : TEXTS.pausesHere[side]}
        data-testid={`bead-${node}-${side}`}
      />
    );
  });
}
