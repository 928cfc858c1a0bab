/** Breakpoints where a value comes in or leaves, from the menus of ports and edges. */
import type { Breakpoint, Edge, EdgeId, NodeId, PortName } from "@/bindings";
import { TEXTS } from "@/canvas/texts";
import { notify } from "@/design/dialogs/notify";
import { type End, endsOfEdge, type Side } from "@/flow/connect/ports";
import { isContainer } from "@/flow/containers/containers";
import { HostError } from "@/ipc";
import { isAt, isOn, mayPauseOn, placeOnEdge } from "@/run/debug/breakpoints";
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";

/** Sets or removes the breakpoint at a port that was clicked. Nothing for ports where nothing can pause. */
export function breakpointOfHandle(workspace: Workspace, handle: HTMLElement): Command | undefined {
  const { nodeid: node, handleid: port, side, inner } = handle.dataset;
  if (node === undefined || !port || inner !== undefined || (side !== "in" && side !== "out")) return undefined;
  return breakpointAt(workspace, { node, side, port });
}

/**
 * The same for an edge. A loop has no start of its own: an edge to one pauses where the value leaves. One from the border of a loop has
 * no output to name: it pauses where the value comes in.
 */
export function breakpointOfEdge(workspace: Workspace, id: EdgeId): Command | undefined {
  const { editor, nodeTypes } = workspace;
  const { flow, viewing, outer } = editor.state;
  const edge = flow.edges[id];
  if (!edge || viewing || outer !== undefined) return undefined;
  if (mayPauseOn(nodeTypes.all, flow, edge)) return toggleEdge(edge);
  const { from, to } = endsOfEdge(flow, edge);
  return from.inner ? breakpointAt(workspace, to) : breakpointAt(workspace, from);
}

/** The same for the one edge that is selected. */
export function breakpointOfSelectedEdge(workspace: Workspace): Command | undefined {
  const { nodes, edges } = workspace.editor.state.selection;
  const [id] = edges;
  return id !== undefined && edges.size === 1 && nodes.size === 0 ? breakpointOfEdge(workspace, id) : undefined;
}

function toggleEdge(edge: Edge): Command {
  const setOn = ({ breakpoints }: Workspace) => breakpoints.current.find((one) => isOn(one, edge));
  return {
    id: "debug.edge",
    title: TEXTS.pauseOnEdge,
    group: "Run",
    keys: ["F9"],
    checked: (workspace) => setOn(workspace) !== undefined,
    run: async (workspace) => {
      const { breakpoints, host, editor } = workspace;
      const set = setOn(workspace);
      if (set) return breakpoints.drop(set.id);
      const breakpoint: Breakpoint = { id: "", side: "before", ...placeOnEdge(edge) };
      const { flow, path, key } = editor.state;
      try {
        const named = await host.call("flow.checkBreakpoint", { flow, path, breakpoint });
        if (editor.state.key === key) breakpoints.add(named);
      } catch (thrown) {
        notify.error(HostError.from(thrown));
      }
    },
  };
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
  const isSet = ({ breakpoints }: Workspace) => breakpoints.current.some((one) => isAt(one, node, at, port));
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
