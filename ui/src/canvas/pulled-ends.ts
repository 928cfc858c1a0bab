/** From React Flow's handles to ends of the flow, and back. */
import type { Connection } from "@xyflow/react";
import type { Edge } from "@/bindings";
import { declaredPorts, type End, findPort } from "@/flow/ports";
import type { Pulled } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";

type HandleLike = { nodeId: string; id?: string | null; type: string };

export function endOf(handle: HandleLike): End {
  return { node: handle.nodeId, side: handle.type === "source" ? "out" : "in", port: handle.id ?? "" };
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
  return [
    { node: source, side: "out", port: sourceHandle },
    { node: target, side: "in", port: targetHandle },
  ];
}

export function edgeOf(connection: Connection): Edge | undefined {
  const ends = endsOf(connection);
  if (!ends) return undefined;
  const [from, to] = ends;
  return { source: from.node, sourceOutput: from.port, target: to.node, targetInput: to.port };
}

/** An end with what its port carries; nothing where the port is not declared. */
export function pulledFrom({ editor, nodeTypes }: Workspace, end: End): Pulled | undefined {
  const { state } = editor;
  const port = findPort(declaredPorts(nodeTypes.all, state.flow, state.checked, end.node), end.side, end.port);
  return port && { end, kind: port.kind, type: port.type };
}
