/** The colors that people give to nodes. Each theme has its own shade of each. */
import type { CanvasColor, Flow, FrameId, NodeId, Position } from "@/bindings";
import { CANVAS_COLORS } from "@/bindings/constants";

/** The CSS color of a name; none for one that only a newer version knows. */
export function tint(color: CanvasColor | undefined): string | undefined {
  return color !== undefined && CANVAS_COLORS.includes(color) ? `var(--tint-${color})` : undefined;
}

/** Gives nodes a color, or takes theirs away. */
export function setColor(flow: Flow, ids: Iterable<NodeId>, color: CanvasColor | undefined): Flow {
  const layout = { ...flow.layout };
  let changed = false;
  for (const id of ids) {
    if (!Object.hasOwn(flow.nodes, id) || flow.layout[id]?.color === color) continue;
    const { color: _, ...at }: Position = flow.layout[id] ?? { x: 0, y: 0 };
    layout[id] = color === undefined ? at : { ...at, color };
    changed = true;
  }
  return changed ? { ...flow, layout } : flow;
}

/** The color that all of these nodes and frames have. */
export function commonColor(
  flow: Flow,
  nodes: Iterable<NodeId>,
  frames: Iterable<FrameId> = [],
): CanvasColor | undefined {
  const colors = new Set([
    ...[...nodes].map((id) => flow.layout[id]?.color),
    ...[...frames].map((id) => flow.frames?.[id]?.color),
  ]);
  return colors.size === 1 ? [...colors][0] : undefined;
}
