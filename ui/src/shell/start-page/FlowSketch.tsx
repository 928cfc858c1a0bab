import { useEffect, useState } from "react";
import type { Flow, Node } from "@/bindings";
import { cornerOf } from "@/flow/containers/containers";
import { useNodeTypes } from "@/workspace/context";

/** The approximate size of a card; the real one is known once it is drawn. */
const CARD = { width: 200, height: 80 };
const COLORS: Partial<Record<string, string>> = {
  contexts: "var(--context)",
  models: "var(--context)",
  people: "var(--wait)",
  tools: "var(--tools)",
  data: "var(--data)",
};
/** Larger flows are a gray area at this size. */
const MAX_NODES = 300;

/** A small map of a flow: its nodes and edges, without names. Empty until the flow has been loaded. */
export function FlowSketch({ load }: { load: () => Promise<Flow> }) {
  const [flow, setFlow] = useState<Flow>();
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (loaded) => isCurrent && setFlow(loaded),
      () => undefined, // Without a picture there is still the name.
    );
    return () => {
      isCurrent = false;
    };
  }, [load]);
  return (
    <span className="block h-[74px] overflow-hidden rounded-t-lg border-line border-b bg-bg p-2" aria-hidden>
      {flow ? <Picture flow={flow} /> : null}
    </span>
  );
}

function Picture({ flow }: { flow: Flow }) {
  const byType = useNodeTypes((types) => types.byType);
  const nodes = Object.entries(flow.nodes).slice(0, MAX_NODES);
  const boxes = new Map(nodes.map(([id]) => [id, boxOf(flow, id)]));
  if (boxes.size === 0) return null;
  const all = [...boxes.values()];
  const [left, top] = [Math.min(...all.map(({ x }) => x)), Math.min(...all.map(({ y }) => y))];
  const width = Math.max(...all.map((box) => box.x + box.width)) - left;
  const height = Math.max(...all.map((box) => box.y + box.height)) - top;
  const color = ({ type }: Node) => COLORS[byType.get(type)?.category ?? ""] ?? "var(--line-2)";
  return (
    <svg viewBox={`${left} ${top} ${width} ${height}`} className="h-full w-full" role="presentation">
      {Object.entries(flow.edges).map(([id, { source, target }]) => {
        const [from, to] = [boxes.get(source), boxes.get(target)];
        if (!from || !to) return null;
        const [x1, y1, x2, y2] = [from.x + from.width, from.y + from.height / 2, to.x, to.y + to.height / 2];
        const bend = Math.max(60, Math.abs(x2 - x1) / 2);
        const path = `M ${x1} ${y1} C ${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
        return <path key={id} d={path} fill="none" stroke="var(--line-2)" strokeWidth={8} />;
      })}
      {nodes.map(([id, node]) => {
        const box = boxes.get(id);
        return box ? <rect key={id} {...box} rx={14} fill={color(node)} opacity={isLarge(box) ? 0.3 : 0.9} /> : null;
      })}
    </svg>
  );
}

function boxOf(flow: Flow, id: string) {
  const { width = CARD.width, height = CARD.height } = flow.layout[id] ?? {};
  return { ...cornerOf(flow, id), width, height };
}

/** What has others inside, which are to be seen through it. */
function isLarge({ width, height }: { width: number; height: number }): boolean {
  return width * height > 4 * CARD.width * CARD.height;
}
