import type { ConnectionLineComponentProps } from "@xyflow/react";
import { endOf } from "@/canvas/elements/pulled-ends";
import { forwardCurve } from "@/canvas/measure/paths";
import { refusal } from "@/flow/connect/connection";
import type { CanvasElement } from "@/workspace/canvas-store";
import { useWorkspace } from "@/workspace/context";

/** The edge while it is being drawn. Over a port that does not take it, it says why. */
export function ConnectionLine(props: ConnectionLineComponentProps<CanvasElement>) {
  const { editor, nodeTypes } = useWorkspace();
  const { fromX, fromY, toX, toY, fromHandle, toHandle, connectionStatus, fromNode } = props;
  const out = fromHandle.type === "source";
  const from = { x: fromX, y: fromY };
  const to = { x: toX, y: toY };
  const curve = out ? forwardCurve(from, to) : forwardCurve(to, from);
  const ports = "ports" in fromNode.data ? fromNode.data.ports : undefined;
  const kind = (out ? ports?.outputs : ports?.inputs)?.find((port) => port.name === fromHandle.id)?.kind ?? "data";
  const { state } = editor;
  const why =
    toHandle && connectionStatus === "invalid" && !sameHandle(fromHandle, toHandle)
      ? refusal(nodeTypes.all, state.flow, state.checked, endOf(fromHandle), endOf(toHandle))
      : undefined;
  return (
    <g className="strand" data-kind={kind} data-broken={why !== undefined || undefined}>
      <path className="strand-line strand-drawn" d={curve.d} fill="none" />
      {why ? (
        <foreignObject x={toX + 14} y={toY + 10} width={280} height={120} className="pointer-events-none">
          <div className="refusal" data-testid="refusal" role="status">
            {why}
          </div>
        </foreignObject>
      ) : null}
    </g>
  );
}

type HandleLike = { nodeId: string; id?: string | null; type: string };

function sameHandle(a: HandleLike, b: HandleLike): boolean {
  return a.nodeId === b.nodeId && a.id === b.id && a.type === b.type;
}
