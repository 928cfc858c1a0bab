/** From React Flow's handles to ends of the flow, and back. */
import type { Connection } from "@xyflow/react";
import type { Edge, PortName } from "@/bindings";
import { edgeBetween } from "@/flow/connect/connection";
import { declaredPorts, type End, findPort } from "@/flow/connect/ports";
import type { Pulled } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";

type HandleLike = { nodeId: string; id?: string | null; type: string };

/** Marks the handles inside a loop's border, which may have the names of those outside. No port name has a colon. */
const INNER = "inner:";
/** The handles at the sides of a folded loop, for the edges of its nodes. */
export const FOLDED_HANDLE = "folded:body";

export function handleId(port: PortName, inner: boolean | undefined): string {
  return inner ? `${INNER}${port}` : port;
}

export function endOf(handle: HandleLike): End {
  return endAt(handle.nodeId, handle.type === "source" ? "out" : "in", handle.id ?? "");
}

/** The two ends of a connection; nothing while one is still open. */
export function endsOf(connection: {
  source: string | null;
  sourceHandle?: string | null;
  target: string | null;
  targetHandle?: string | null;
}): [End, End] | undefined {
  const { source, sourceHandle, target, targetHandle } = connection;
  if (!source || !target || !sourceHandle || !targetHandle) return undefined;
  return [endAt(source, "out", sourceHandle), endAt(target, "in", targetHandle)];
}

export function edgeOf(connection: Connection): Edge | undefined {
  const ends = endsOf(connection);
  return ends && edgeBetween(...ends);
}

function endAt(node: string, side: End["side"], handle: string): End {
  return handle.startsWith(INNER)
    ? { node, side, port: handle.slice(INNER.length), inner: true }
    : { node, side, port: handle };
}

/** An end with what its port carries; nothing where the port is not declared. */
export function pulledFrom({ editor, nodeTypes }: Workspace, end: End): Pulled | undefined {
  const { state } = editor;
  const port = findPort(declaredPorts(nodeTypes.all, state.flow, state.checked, end.node), end);
  return port && { end, kind: port.kind, type: port.type };
}
