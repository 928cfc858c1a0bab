/** Putting new nodes onto the canvas. */
import type { Flow, Node, NodeId } from "@/bindings";
import { borderRowY, CARD_WIDTH, PORT_STEP, portY } from "@/canvas/measure/geometry";
import { loopAt } from "@/canvas/move/drop";
import { focusNewNode } from "@/canvas/select/keyboard-navigation";
import { showBox, viewCenter } from "@/canvas/view/view";
import type { Point } from "@/flow/align/align";
import { edgeBetween, fittingPort, TEMPLATE_VARIABLE, templateField } from "@/flow/connect/connection";
import type { End } from "@/flow/connect/ports";
import { LOOP_SIZE } from "@/flow/containers/container-box";
import { containerOf, isContainer, isInBody, relativeTo } from "@/flow/containers/containers";
import type { Pulled } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";
import { isCard, newNodeSize, placeForNew } from "./place-new";

/**
 * Adds a node of a type with its middle at a place of the canvas; without one, in the middle of the view. One that was not
 * `dropped` there by hand goes to the nearest place in view where it covers nothing.
 */
export function addNodeOf(workspace: Workspace, type: string, at?: Point, dropped = false): NodeId | undefined {
  const { editor, layout } = workspace;
  const size = newNodeSize(workspace, { type });
  const card = isCard(workspace, { type });
  const center = at ?? viewCenter(workspace);
  const corner = { x: center.x - size.width / 2, y: center.y - size.height / 2 };
  const { flow } = editor.state;
  const parent = at && loopAt(workspace, at);
  const place = dropped ? corner : placeForNew(workspace, size, corner, new Set([parent]));
  layout.showInspectorTab("config");
  const position = relativeTo(flow, parent, place);
  const id = editor.addNode(nodeIn(parent, type), card ? position : { ...position, ...size });
  if (id === undefined) return undefined;
  if (!dropped) showBox(workspace, { ...place, ...size });
  focusNewNode(workspace, id);
  return id;
}

/**
 * Adds a node that fits a dragged edge, with its matching port where the edge was dropped or near it, into the loop that is there.
 * With a view that `follows` the place need not be in view, and in a loop not within its border.
 */
export function addNodeFor(
  workspace: Workspace,
  pulled: Pulled,
  type: string,
  at: Point,
  { loop, templated, follows }: { loop?: NodeId; templated?: boolean; follows?: boolean } = {
    loop: loopAt(workspace, at),
  },
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
  const planned = newNodeSize(workspace, { type });
  // The row of a variable's input.
  const size = found < 0 ? { ...planned, height: planned.height + PORT_STEP } : planned;
  const place = placeForNew(workspace, size, corner, new Set([parent]), { follows });
  const position = { ...relativeTo(flow, parent, place), ...(isLoop ? LOOP_SIZE : {}) };
  const id = editor.addConnectedNode({ ...nodeIn(parent, type), ...(config ? { config } : {}) }, position, (added) => {
    const edge = edgeBetween(pulled.end, { node: added, side: intoIt ? "in" : "out", port: port.name });
    if (!edge) throw new Error("The ends are on opposite sides by construction.");
    return edge;
  });
  if (id !== undefined) showBox(workspace, { ...place, ...size });
  return id;
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
