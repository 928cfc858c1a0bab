/** Putting new nodes onto the canvas. */
import type { NodeId } from "@/bindings";
import * as actions from "@/flow/actions";
import { edgeBetween, fittingPort } from "@/flow/connection";
import { commentField, nodeType } from "@/flow/node-types";
import { flowStore } from "@/flow/store";
import type { Pulled } from "./canvas-store";
import { CARD_WIDTH, plannedSize, portY } from "./geometry";
import { focusOnceDrawn } from "./keyboard-navigation";
import type { Point } from "./paths";
import { viewCenter } from "./view";

const NO_PORTS = { inputs: [], outputs: [] };
const OFFSET_STEP = 28;

/** Adds a node of a type with its middle at a place of the canvas; without one, in the middle of the view. */
export function addNodeOf(type: string, at?: Point): NodeId | undefined {
  const isComment = commentField({ type }) !== undefined;
  const size = plannedSize(isComment, nodeType(type)?.ports ?? NO_PORTS, false, undefined);
  const center = at ?? viewCenter();
  const corner = { x: center.x - size.width / 2, y: center.y - size.height / 2 };
  const place = at ? corner : clear(corner);
  const id = actions.addNode({ type }, isComment ? { ...place, ...size } : place);
  if (id !== undefined) focusOnceDrawn(id);
  return id;
}

/** Adds a node that fits a dragged edge, with its matching port where the edge was dropped. */
export function addNodeFor(pulled: Pulled, type: string, at: Point): NodeId | undefined {
  const descriptor = nodeType(type);
  const port = descriptor && fittingPort(descriptor, pulled.kind, pulled.type, pulled.end.side);
  if (!descriptor || !port) return undefined;
  const intoIt = pulled.end.side === "out";
  const ports: readonly { name: string }[] = intoIt ? descriptor.ports.inputs : descriptor.ports.outputs;
  const index = ports.findIndex((one) => one.name === port.name);
  const corner = { x: at.x - (intoIt ? 0 : CARD_WIDTH), y: at.y - portY(index) };
  return actions.addConnectedNode({ type }, corner, (id) => {
    const edge = edgeBetween(pulled.end, { node: id, side: intoIt ? "in" : "out", port: port.name });
    if (!edge) throw new Error("The ends are on opposite sides by construction.");
    return edge;
  });
}

/** A place where no other node's corner is. */
function clear(corner: Point): Point {
  const taken = Object.values(flowStore.getState().flow.layout);
  let { x, y } = corner;
  while (taken.some((at) => Math.abs(at.x - x) < OFFSET_STEP / 2 && Math.abs(at.y - y) < OFFSET_STEP / 2)) {
    x += OFFSET_STEP;
    y += OFFSET_STEP;
  }
  return { x, y };
}
