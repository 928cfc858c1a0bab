import { useStore, ViewportPortal } from "@xyflow/react";
import type { Guide } from "@/flow/align/alignment-guides";
import { useCanvas } from "@/workspace/context";

/** The lines along which dragged nodes align with others, and the gaps that became equal. */
export function AlignmentGuides() {
  const guides = useCanvas((state) => state.guides);
  return guides && guides.length > 0 ? <Lines guides={guides} /> : null;
}

/** Half the length of the bars at the ends of a gap, in screen pixels. */
const BAR_PX = 4;

function Lines({ guides }: { guides: readonly Guide[] }) {
  const zoom = useStore((store) => store.transform[2]);
  const bar = BAR_PX / zoom;
  return (
    <ViewportPortal>
      <svg className="guides" data-testid="alignment-guides" aria-hidden>
        {guides.map(({ kind, from, to }) => {
          const key = `${kind} ${from.x} ${from.y} ${to.x} ${to.y}`;
          const across = from.x === to.x ? { x: bar, y: 0 } : { x: 0, y: bar };
          const ends = kind === "gap" ? [from, to] : [];
          return (
            <g key={key} data-kind={kind}>
              <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
              {ends.map(({ x, y }) => (
                <line key={`${x} ${y}`} x1={x - across.x} y1={y - across.y} x2={x + across.x} y2={y + across.y} />
              ))}
            </g>
          );
        })}
      </svg>
    </ViewportPortal>
  );
}
