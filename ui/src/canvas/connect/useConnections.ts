import type { Connection, FinalConnectionState, IsValidConnection, OnConnectStartParams } from "@xyflow/react";
import { useMemo } from "react";
import { edgeOf, endOf, endsOf, pulledFrom } from "@/canvas/elements/pulled-ends";
import { notify } from "@/design/dialogs/notify";
import { edgeBetween, partnersOn, refusal } from "@/flow/connect/connection";
import type { CanvasEdge, Pulled } from "@/workspace/canvas-store";
import { useWorkspace } from "@/workspace/context";
import type { Workspace } from "@/workspace/workspace";

/** Making and moving edges with the pointer. What does not fit is refused with a reason. */
export function useConnections() {
  const workspace = useWorkspace();
  return useMemo(() => {
    const { editor, canvas, nodeTypes } = workspace;
    let moving: string | undefined;

    const isValidConnection: IsValidConnection<CanvasEdge> = (connection) => {
      const ends = endsOf({
        ...connection,
        sourceHandle: connection.sourceHandle,
        targetHandle: connection.targetHandle,
      });
      const { flow, checked } = editor.state;
      return ends !== undefined && refusal(nodeTypes.all, flow, checked, ends[0], ends[1], moving) === undefined;
    };

    return {
      isValidConnection,
      onConnect(connection: Connection) {
        const edge = edgeOf(connection);
        if (edge && moving === undefined) editor.connect(edge);
      },
      onConnectStart(_: unknown, { nodeId, handleId, handleType }: OnConnectStartParams) {
        if (!nodeId || !handleId || !handleType) return;
        canvas.set({
          pulled: pulledFrom(workspace, endOf({ nodeId, id: handleId, type: handleType })),
          quickAdd: undefined,
        });
      },
      onConnectEnd(event: MouseEvent | TouchEvent, state: FinalConnectionState) {
        const { pulled } = canvas.state;
        canvas.set({ pulled: undefined });
        if (moving !== undefined || !pulled || state.isValid) return;
        if (state.toHandle) {
          if (state.fromHandle && sameHandle(state.fromHandle, state.toHandle)) return;
          const { flow, checked } = editor.state;
          const why = refusal(nodeTypes.all, flow, checked, pulled.end, endOf(state.toHandle));
          if (why) notify.info(why);
          return;
        }
        dropped(workspace, event, pulled);
      },
      onReconnectStart(_: unknown, edge: CanvasEdge) {
        moving = edge.id;
      },
      onReconnect(old: CanvasEdge, connection: Connection) {
        const edge = edgeOf(connection);
        if (edge) editor.reconnect(old.id, edge);
      },
      onReconnectEnd() {
        moving = undefined;
      },
    };
  }, [workspace]);
}

/** An edge dropped on a card connects to the matching port; on empty canvas it opens the quick-add menu. */
function dropped({ editor, canvas, nodeTypes }: Workspace, event: MouseEvent | TouchEvent, pulled: Pulled): void {
  const at = pointOf(event);
  const below = document.elementFromPoint(at.x, at.y);
  const node = below?.closest<HTMLElement>(".react-flow__node")?.dataset.id;
  const { flow, checked } = editor.state;
  if (node !== undefined) {
    if (node === pulled.end.node) return;
    const [other] = partnersOn(nodeTypes.all, flow, checked, pulled.end, node);
    const edge = other && edgeBetween(pulled.end, other);
    if (edge) editor.connect(edge);
    else notify.info(`“${flow.nodes[node]?.title ?? node}” has no port compatible with “${pulled.end.port}”.`);
    return;
  }
  const { instance } = canvas;
  if (instance && below?.closest(".react-flow__pane") && editor.mayEdit()) {
    canvas.set({ quickAdd: { pulled, at, place: instance.screenToFlowPosition(at) } });
  }
}

function pointOf(event: MouseEvent | TouchEvent): { x: number; y: number } {
  const from = "changedTouches" in event ? event.changedTouches[0] : event;
  return { x: from?.clientX ?? 0, y: from?.clientY ?? 0 };
}

type HandleLike = { nodeId: string; id?: string | null; type: string };

function sameHandle(a: HandleLike, b: HandleLike): boolean {
  return a.nodeId === b.nodeId && a.id === b.id && a.type === b.type;
}
