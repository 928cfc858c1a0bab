/**
 * A shade for each context, by the order of the nodes that make them. Hues keep clear of the data strand's teal and the
 * tools strand's amber; lightness comes from the theme (see `canvas.css`), so that contrast is the same for all.
 */
import type { CheckedFlow, Flow, NodeId } from "@/bindings";
import type { NodeTypes } from "@/flow/node-types/node-types";
import { displayedFlow, type FlowState } from "./flow-state";

const HUES = [null, 350, 245, 128, 25, 320, 222, 108] as const;
/** Beyond the list, steps that come near an earlier hue only after many contexts. */
const STEP = 47;
const RESERVED = [
  { from: 55, to: 100 },
  { from: 160, to: 205 },
];

/** The color of the n-th context, as CSS. The first is the violet of the strand. */
export function contextColor(index: number): string {
  const hue = index < HUES.length ? HUES[index] : spare(index - HUES.length);
  return hue === null || hue === undefined ? "var(--context)" : `oklch(var(--shade-l) var(--shade-c) ${hue})`;
}

/** Which context (counted from 0) each node works in. */
export function contextIndexes(types: NodeTypes, flow: Flow, checked: CheckedFlow): ReadonlyMap<NodeId, number> {
  const makers = [...new Set(Object.values(checked.contexts))].sort(
    (a, b) => rank(types, flow, a) - rank(types, flow, b) || (a < b ? -1 : 1),
  );
  const order = new Map(makers.map((maker, index) => [maker, index]));
  return new Map(Object.entries(checked.contexts).map(([node, maker]) => [node, order.get(maker) ?? 0]));
}

/** The color of the context that a node works in or makes, as on the canvas; the strand's own color without one. */
export function contextShade(types: NodeTypes, state: FlowState, node: NodeId): string {
  const index = contextIndexes(types, displayedFlow(state), state.checked).get(node);
  return index === undefined ? "var(--context)" : contextColor(index);
}

/** The flow's own context comes first, so that adding another never changes its color. */
function rank(types: NodeTypes, flow: Flow, maker: NodeId): number {
  return types.byType.get(flow.nodes[maker]?.type ?? "")?.editor.makesMainContext ? 0 : 1;
}

function spare(index: number): number {
  let hue = (305 + STEP * index) % 360;
  while (RESERVED.some(({ from, to }) => hue >= from && hue < to)) hue = (hue + STEP) % 360;
  return hue;
}
