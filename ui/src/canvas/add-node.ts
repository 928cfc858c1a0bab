/** Putting new nodes onto the canvas. */
import type { Flow, NodeId } from "@/bindings";
import type { Point } from "@/flow/align";
import { edgeBetween, fittingPort } from "@/flow/connection";
import { commentField } from "@/flow/node-types";
import type { Pulled } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";
import { CARD_WIDTH, plannedSize, portY } from "./geometry";
import { focusOnceDrawn } from "./keyboard-navigation";
import { viewCenter } from "./view";

const NO_PORTS = { inputs: [], outputs: [] };
const OFFSET_STEP = 28;

/** Adds a node of a type with its middle at a place of the canvas; without one, in the middle of the view. */
export function addNodeOf(workspace: Workspace, type: string, at?: Point): NodeId | undefined {
  const { editor, nodeTypes, canvas, layout } = workspace;
  const isComment = commentField(nodeTypes.all, { type }) !== undefined;
  const size = plannedSize(isComment, nodeTypes.get(type)?.ports ?? NO_PORTS, false, undefined);
  const center = at ?? viewCenter(workspace);
  const corner = { x: center.x - size.width / 2, y: center.y - size.height / 2 };
  const place = at ? corner : clear(editor.state.flow, corner);
  layout.showInspectorTab("config");
  const id = editor.addNode({ type }, isComment ? { ...place, ...size } : place);
  if (id !== undefined) focusOnceDrawn(canvas, id);
  return id;
}

/** Adds a node that fits a dragged edge, with its matching port where the edge was dropped. */
export function addNodeFor(
  { editor, nodeTypes, layout }: Workspace,
  pulled: Pulled,
  type: string,
  at: Point,
): NodeId | undefined {
  const descriptor = nodeTypes.get(type);
  const port = descriptor && fittingPort(descriptor, pulled.kind, pulled.type, pulled.end.side);
  if (!descriptor || !port) return undefined;
  const intoIt = pulled.end.side === "out";
  const ports: readonly { name: string }[] = intoIt ? descriptor.ports.inputs : descriptor.ports.outputs;
  const index = ports.findIndex((one) => one.name === port.name);
  layout.showInspectorTab("config");
  const corner = { x: at.x - (intoIt ? 0 : CARD_WIDTH), y: at.y - portY(index) };
  return editor.addConnectedNode({ type }, corner, (id) => {
    const edge = edgeBetween(pulled.end, { node: id, side: intoIt ? "in" : "out", port: port.name });
    if (!edge) throw new Error("The ends are on opposite sides by construction.");
    return edge;
  });
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
