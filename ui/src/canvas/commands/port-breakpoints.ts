/** Breakpoints where a value comes in or leaves, from the menus of ports and edges. */
import type { EdgeId, NodeId, PortName } from "@/bindings";
import { TEXTS } from "@/canvas/texts";
import { type End, endsOfEdge, type Side } from "@/flow/connect/ports";
import { isContainer } from "@/flow/containers/containers";
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";

/** Sets or removes the breakpoint at a port that was clicked. Nothing for ports where nothing can pause. */
export function breakpointOfHandle(workspace: Workspace, handle: HTMLElement): Command | undefined {
  const { nodeid: node, handleid: port, side, inner } = handle.dataset;
  if (node === undefined || !port || inner !== undefined || (side !== "in" && side !== "out")) return undefined;
  return breakpointAt(workspace, { node, side, port });
}

/** The same for an edge: what leaves by the output that it comes from goes over it. */
export function breakpointOfEdge(workspace: Workspace, id: EdgeId): Command | undefined {
  const { flow } = workspace.editor.state;
  const edge = flow.edges[id];
  return edge && breakpointAt(workspace, endsOfEdge(flow, edge).from);
}

function breakpointAt(workspace: Workspace, { node, side, port, inner }: End): Command | undefined {
  const { editor, nodeTypes } = workspace;
  const { flow, viewing, outer } = editor.state;
  const isLoop = isContainer(nodeTypes.all, flow.nodes[node]);
  // A loop has no start of its own: its first iteration begins.
  if (viewing || outer !== undefined || inner || !(node in flow.nodes) || (isLoop && side === "in")) return undefined;
  return toggle(node, side, port);
}

function toggle(node: NodeId, side: Side, port: PortName): Command {
  const at = side === "in" ? "before" : "after";
  const isSet = ({ breakpoints }: Workspace) =>
    breakpoints.current.some((one) => one.node === node && one.side === at && one.port === port);
  return {
    id: "debug.port",
    title: TEXTS.pauseAtPort(side, port),
    group: "Run",
    checked: isSet,
    run: (workspace) => {
      const { breakpoints } = workspace;
      if (isSet(workspace)) breakpoints.remove(node, at, port);
      else breakpoints.set(node, at, {}, port);
    },
  };
}
