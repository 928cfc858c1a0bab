import { EdgeLabelRenderer, type EdgeProps, useInternalNode } from "@xyflow/react";
import { type KeyboardEvent, memo, type PointerEvent, useRef, useState } from "react";
import type { EdgeId } from "@/bindings";
import { GRID } from "@/canvas/measure/geometry";
import { routedCurve } from "@/canvas/measure/paths";
import { TEXTS } from "@/canvas/texts";
import type { Point } from "@/flow/align/align";
import { setRoute } from "@/flow/edits/routes";
import type { CanvasEdge } from "@/workspace/canvas-store";
import { useWorkspace } from "@/workspace/context";
import { Strand } from "./StrandEdge";

/** An edge that passes through points which a person has put there. */
export const RoutedEdge = memo(function RoutedEdge(props: EdgeProps<CanvasEdge>) {
  const { id, source, target, sourceX, sourceY, targetX, targetY, data } = props;
  const [moving, setMoving] = useState<{ index: number; at: Point }>();
  const [from, to] = [useInternalNode(source), useInternalNode(target)];
  const route = data?.route ?? { points: [], source: { x: 0, y: 0 }, target: { x: 0, y: 0 } };
  // While both ends are dragged, the points move with them.
  const [a, b] = [
    shift(from?.internals.positionAbsolute, route.source),
    shift(to?.internals.positionAbsolute, route.target),
  ];
  const both = Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1 ? a : { x: 0, y: 0 };
  const points = route.points.map(({ x, y }, index) =>
    moving?.index === index ? moving.at : { x: x + both.x, y: y + both.y },
  );
  const curve = routedCurve({ x: sourceX, y: sourceY }, points, { x: targetX, y: targetY });
  return (
    <>
      <Strand {...props} curve={curve} />
      <EdgeLabelRenderer>
        {points.map((at, index) => (
          <RoutePoint
            // biome-ignore lint/suspicious/noArrayIndexKey: points have no other identity.
            key={index}
            edge={id}
            index={index}
            points={points}
            at={at}
            selected={props.selected === true}
            onMove={(to) => setMoving(to && { index, at: to })}
          />
        ))}
      </EdgeLabelRenderer>
    </>
  );
});

function shift(now: Point | undefined, before: Point): Point {
  return now ? { x: now.x - before.x, y: now.y - before.y } : { x: 0, y: 0 };
}

type PointProps = {
  edge: EdgeId;
  index: number;
  points: readonly Point[];
  at: Point;
  selected: boolean;
  /** Where it is while it is dragged; nowhere when that ends. */
  onMove: (to: Point | undefined) => void;
};

const ARROWS: Partial<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** Focuses the point before one, or the edge before the first. */
function focusBeside(edge: EdgeId, index: number): void {
  const id = CSS.escape(edge);
  const beside = index === 0 ? `.react-flow__edge[data-id="${id}"]` : `.route-point[data-point="${id}/${index - 1}"]`;
  document.querySelector<HTMLElement | SVGElement>(beside)?.focus({ preventScroll: true });
}

/** One point: dragged with the pointer or moved by arrows; Delete or a double click takes it away. */
function RoutePoint({ edge, index, points, at, selected, onMove }: PointProps) {
  const { editor, canvas } = useWorkspace();
  const dragged = useRef<Point>(undefined);
  const remove = () => {
    // First: the last button goes, and the focus would go with it.
    if (index === points.length - 1) focusBeside(edge, index);
    editor.edit("Remove point", (flow) => setRoute(flow, edge, points.toSpliced(index, 1)));
  };
  const moveTo = (to: Point, merge?: string) =>
    editor.edit("Move point", (flow) => setRoute(flow, edge, points.with(index, to)), { merge });
  const onPointerMove = (event: PointerEvent<HTMLButtonElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || !canvas.instance) return;
    dragged.current = canvas.instance.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    onMove(dragged.current);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = ARROWS[event.key];
    const step = event.shiftKey ? GRID : 1;
    if (arrow) moveTo({ x: at.x + arrow.x * step, y: at.y + arrow.y * step }, `route:${edge}:${index}`);
    else if (event.key === "Delete" || event.key === "Backspace") remove();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <button
      type="button"
      className="route-point nodrag nopan"
      data-selected={selected || undefined}
      data-point={`${edge}/${index}`}
      data-testid={`point-${edge}-${index}`}
      aria-label={TEXTS.routePoint(index + 1, points.length)}
      title={TEXTS.routePointHint}
      style={{ transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)` }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.stopPropagation();
        editor.selectOnly({ edges: [edge] });
        if (editor.mayEdit()) event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={onPointerMove}
      onLostPointerCapture={() => {
        if (dragged.current) moveTo(dragged.current);
        dragged.current = undefined;
        onMove(undefined);
      }}
      onFocus={() => editor.selectOnly({ edges: [edge] })}
      onKeyDown={onKeyDown}
      onKeyUp={() => editor.sealGesture()}
      onDoubleClick={(event) => {
        event.stopPropagation();
        remove();
      }}
    />
  );
}
