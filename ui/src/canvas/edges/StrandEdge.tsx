import { EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { type CSSProperties, memo, useEffect, useRef } from "react";
import { cardLayer, shade } from "@/canvas/elements/elements";
import { backCurve, type Curve, forwardCurve } from "@/canvas/measure/paths";
import { TEXTS } from "@/canvas/texts";
import { isStill } from "@/design/theme/is-still";
import type { CanvasEdge } from "@/workspace/canvas-store";
import { useCanvas, useWorkspace } from "@/workspace/context";
import { useEdgeRun, useForcedFrom, useUntrustedPath } from "@/workspace/run-hooks";
import { EdgeBead } from "./EdgeBead";
import { MIN_PEEK_WIDTH, peekWidth } from "./peek-places";

/** An edge of one of the three strands. Thick for contexts, thin for data, dashed for tools; dotted where it goes back. */
export const StrandEdge = memo(function StrandEdge(props: EdgeProps<CanvasEdge>) {
  const { sourceX, sourceY, targetX, targetY, data } = props;
  const from = { x: sourceX, y: sourceY };
  const to = { x: targetX, y: targetY };
  const curve = data?.back !== undefined ? backCurve(from, to, data.back) : forwardCurve(from, to);
  return <Strand {...props} curve={curve} />;
});

/** The line of an edge along a curve, with what a run shows on it. */
export function Strand({
  id,
  sourceX,
  sourceY,
  targetX,
  targetY,
  data,
  selected,
  curve,
}: EdgeProps<CanvasEdge> & { curve: Curve }) {
  const run = useEdgeRun(id, data?.kind ?? "data");
  const forcedFrom = useForcedFrom(id);
  const untrusted = useUntrustedPath(
    (marked) => marked !== undefined && [id, ...(data?.bundle ?? [])].some((one) => marked.edges.has(one)),
  );
  const place = useCanvas((state) => (data?.route ? undefined : state.peekPlaces?.get(id)));
  const at = place?.at ?? curve.label;
  const room = place?.width ?? peekWidth({ x: sourceX, y: sourceY }, { x: targetX, y: targetY }, curve.label);
  const style = data?.context === undefined ? undefined : ({ "--strand": shade(data.context) } as CSSProperties);
  return (
    <g
      className="strand"
      data-testid={`edge-${id}`}
      data-kind={data?.kind ?? "data"}
      data-back={data?.back !== undefined || undefined}
      data-turn={data?.turn || undefined}
      data-broken={data?.broken || undefined}
      data-selected={selected || undefined}
      data-untrusted={untrusted || undefined}
      data-bundle={data?.bundle ? data.bundle.length + 1 : undefined}
      data-forced={forcedFrom !== undefined || undefined}
      style={style}
    >
      {forcedFrom === undefined ? null : <title>{TEXTS.forcedWay(forcedFrom)}</title>}
      <path className="strand-line" d={curve.d} fill="none" />
      <path className="react-flow__edge-interaction" d={curve.d} fill="none" strokeOpacity={0} strokeWidth={18} />
      <EdgeBead edge={id} at={curve.bead} />
      {run && run.passed > 0 ? <Pulse d={curve.d} passed={run.passed} /> : null}
      {run?.peek && !data?.turn ? (
        <EdgeLabelRenderer>
          <div
            className="peek"
            data-id={id}
            data-kind={data?.kind ?? "data"}
            data-testid={`peek-${id}`}
            data-short={room < MIN_PEEK_WIDTH || undefined}
            title={run.peek}
            style={
              {
                transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)`,
                maxWidth: room,
                "--layer": data?.depth ? cardLayer(data.depth) : undefined,
                ...style,
              } as CSSProperties
            }
          >
            {run.peek}
          </div>
        </EdgeLabelRenderer>
      ) : null}
    </g>
  );
}

/** Every pulse repaints the page in each frame, and more than this many convey nothing more. */
const MAX_PULSES = 12;

/** A short glow that runs along the edge when a value passes. */
function Pulse({ d, passed }: { d: string; passed: number }) {
  const { canvas, viewMotion } = useWorkspace();
  const path = useRef<SVGPathElement>(null);
  const glow = useRef<Animation>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `passed` is what starts it.
  useEffect(() => {
    const line = path.current;
    if (!line?.animate || isStill()) return;
    // Values may pass faster than the animation; a running one is not restarted.
    if (viewMotion.moving || glow.current?.playState === "running" || canvas.pulseCount >= MAX_PULSES) return;
    glow.current = line.animate(
      [
        // Not `opacity`: each edge, and each card over it, would be a compositor layer.
        { visibility: "visible", strokeDashoffset: 1.12, strokeOpacity: 1 },
        { visibility: "visible", strokeDashoffset: 0, strokeOpacity: 0.2 },
      ],
      { duration: 600, easing: "ease-in-out" },
    );
    canvas.pulseCount += 1;
    const over = () => {
      canvas.pulseCount -= 1;
    };
    glow.current.finished.then(over, over);
  }, [passed]);
  return <path ref={path} className="strand-pulse" d={d} fill="none" pathLength={1} />;
}
