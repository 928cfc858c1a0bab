/** Which nodes are not drawn because a loop or a frame around them is folded. */
import type { Flow, FrameId, NodeId } from "@/bindings";
import { containersAround } from "./containers";

/** The element that is drawn in place of its nodes. */
export type Fold = { loop: NodeId; frame?: never } | { frame: FrameId; loop?: never };

// The frames of a flow never change, so the folded ones are looked up once.
const foldedFrames = new WeakMap<NonNullable<Flow["frames"]>, ReadonlyMap<NodeId, FrameId>>();

/** The folded loops and frames around a node, the outermost first. */
export function foldsAround(flow: Flow, id: NodeId): Fold[] {
  const frames = framesByNode(flow);
  const found: Fold[] = [];
  for (const one of [id, ...containersAround(flow, id)]) {
    if (one !== id && isFolded(flow, one)) found.unshift({ loop: one });
    const frame = frames?.get(one);
    if (frame !== undefined) found.unshift({ frame });
  }
  return found;
}

/** The outermost folded loop or frame around a node, which is drawn in its place. */
export function foldedAround(flow: Flow, id: NodeId): Fold | undefined {
  return foldsAround(flow, id)[0];
}

/** Whether a loop is folded. */
export function isFolded(flow: Flow, id: NodeId): boolean {
  return flow.layout[id]?.folded === true;
}

/** The folded frame that each node is in; undefined where no frame is folded. */
function framesByNode({ frames }: Flow): ReadonlyMap<NodeId, FrameId> | undefined {
  if (!frames) return undefined;
  let byNode = foldedFrames.get(frames);
  if (!byNode) {
    const folded = Object.entries(frames).filter(([, frame]) => frame.folded);
    byNode = new Map(folded.flatMap(([id, { nodes }]) => nodes.map((node) => [node, id] as const)));
    foldedFrames.set(frames, byNode);
  }
  return byNode;
}
