/** Putting new nodes onto the canvas. */
import type { Flow, Node, NodeId } from "@/bindings";
import type { Point } from "@/flow/align";
import { edgeBetween, fittingPort, TEMPLATE_VARIABLE, templateField } from "@/flow/connection";
import { LOOP_SIZE } from "@/flow/container-box";
import { containerOf, isContainer, isInBody, relativeTo } from "@/flow/containers";
import { commentField } from "@/flow/node-types";
import type { End } from "@/flow/ports";
import type { Pulled } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";
import { loopAt } from "./drop";
import { borderRowY, CARD_WIDTH, plannedSize, portY } from "./geometry";
import { focusNewNode } from "./keyboard-navigation";
import { viewCenter } from "./view";

const NO_PORTS = { inputs: [], outputs: [] };
const OFFSET_STEP = 28;

/** Adds a node of a type with its middle at a place of the canvas; without one, in the middle of the view. */
export function addNodeOf(workspace: Workspace, type: string, at?: Point): NodeId | undefined {
  const { editor, nodeTypes, layout } = workspace;
  const isComment = commentField(nodeTypes.all, { type }) !== undefined;
  const isLoop = isContainer(nodeTypes.all, { type });
  const size = isLoop ? LOOP_SIZE : plannedSize(isComment, nodeTypes.get(type)?.ports ?? NO_PORTS, false, undefined);
  const center = at ?? viewCenter(workspace);
  const corner = { x: center.x - size.width / 2, y: center.y - size.height / 2 };
  const place = at ? corner : clear(editor.state.flow, corner);
  layout.showInspectorTab("config");
  const { flow } = editor.state;
  const parent = at && loopAt(workspace, at);
  const position = relativeTo(flow, parent, place);
  const id = editor.addNode(nodeIn(parent, type), isComment || isLoop ? { ...position, ...size } : position);
  if (id !== undefined) focusNewNode(workspace, id);
  return id;
}

/** Adds a node that fits a dragged edge, with its matching port where the edge was dropped, into the loop that is there. */
export function addNodeFor(
  workspace: Workspace,
  pulled: Pulled,
  type: string,
  at: Point,
  { loop, templated }: { loop?: NodeId; templated?: boolean } = { loop: loopAt(workspace, at) },
): NodeId | undefined {
  const { editor, nodeTypes, layout } = workspace;
  const descriptor = nodeTypes.get(type);
  if (!descriptor) return undefined;
  const fitting = templated ? undefined : fittingPort(descriptor, pulled.kind, pulled.type, pulled.end.side);
  const template = fitting ? undefined : templateField(descriptor, pulled.kind, pulled.end.side);
  const port = fitting ?? (template === undefined ? undefined : { name: TEMPLATE_VARIABLE });
  if (!port) return undefined;
  const config = template === undefined ? undefined : { [template]: `{{${TEMPLATE_VARIABLE}}}` };
  const intoIt = pulled.end.side === "out";
  const ports: readonly { name: string }[] = intoIt ? descriptor.ports.inputs : descriptor.ports.outputs;
  // The input of a variable comes after the others.
  const found = ports.findIndex((one) => one.name === port.name);
  const index = found < 0 ? ports.length : found;
  layout.showInspectorTab("config");
  const isLoop = isContainer(nodeTypes.all, { type });
  const [width, portAt] = isLoop ? [LOOP_SIZE.width, borderRowY(index)] : [CARD_WIDTH, portY(index)];
  const corner = { x: at.x - (intoIt ? 0 : width), y: at.y - portAt };
  const { flow } = editor.state;
  const parent = loopFor(flow, pulled.end, loop);
  const position = { ...relativeTo(flow, parent, corner), ...(isLoop ? LOOP_SIZE : {}) };
  return editor.addConnectedNode({ ...nodeIn(parent, type), ...(config ? { config } : {}) }, position, (id) => {
    const edge = edgeBetween(pulled.end, { node: id, side: intoIt ? "in" : "out", port: port.name });
    if (!edge) throw new Error("The ends are on opposite sides by construction.");
    return edge;
  });
}

/** The loop in which a new node can be connected to an end: that at the place, unless the edge would cross its border. */
function loopFor(flow: Flow, end: End, there: NodeId | undefined): NodeId | undefined {
  const home = end.inner ? end.node : containerOf(flow, end.node);
  if (there === undefined) return end.side === "in" && !end.inner ? undefined : home;
  // The port is outside of the loop that the place is in.
  if (!end.inner && (there === end.node || isInBody(flow, there, end.node))) return home;
  if (there === home) return home;
  // Edges may come into a body from anywhere, and leave it only by its border.
  if (end.side === "out") return home === undefined || isInBody(flow, there, home) ? there : home;
  return !end.inner && isInBody(flow, end.node, there) ? there : home;
}

function nodeIn(parent: NodeId | undefined, type: string): Node {
  return parent === undefined ? { type } : { type, parent };
}

/** A place where no other node's corner is. */
function clear(flow: Flow, corner: Point): Point {
  const taken = Object.values(flow.layout);
  let { x, y } = corner;
  while (taken.some((at) => Math.abs(at.x - x) < OFFSET_STEP / 2 && Math.abs(at.y - y) < OFFSET_STEP / 2)) {
    x += OFFSET_STEP;
    y += OFFSET_STEP;
  }
  return { x, y };
}
