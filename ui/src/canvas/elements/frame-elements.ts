/** Frames as React Flow wants them: nodes of their own, behind the nodes inside. */
import type { Flow, Frame, NodeId } from "@/bindings";
import { TEXTS } from "@/canvas/texts";
import { containersAround, isDisabled } from "@/flow/containers/containers";
import { foldedAround } from "@/flow/containers/folding";
import { boxAroundBoth, containerOfFrame, FOLDED_FRAME, frameAround, mainOf } from "@/flow/containers/frame-box";
import type { Items } from "@/flow/edits/edits";
import type { CanvasElement, CanvasNode, FoldedSides, FrameData, FrameNode } from "@/workspace/canvas-store";
import { foldedHandles, foldedSides, NO_SIDES } from "./folded-elements";
import { frameElement } from "./frame-ids";

/** The frames to draw: not those in a folded loop. A folded one is a card. `before` are the ones drawn so far. */
export function canvasFrames(flow: Flow, selection: Items, before: ReadonlyMap<string, FrameNode>): FrameNode[] {
  const drawn: FrameNode[] = [];
  const all = Object.entries(flow.frames ?? {});
  const sides = all.some(([, { folded }]) => folded) ? foldedSides(flow) : undefined;
  for (const [frameId, frame] of all) {
    const [first] = frame.nodes.filter((one) => Object.hasOwn(flow.nodes, one));
    if (first === undefined) continue;
    const around = foldedAround(flow, first);
    if (around && around.frame !== frameId) continue;
    const id = frameElement(frameId);
    const folded = around && (sides?.get(id) ?? NO_SIDES);
    const selected = selection.frames?.has(frameId) ?? false;
    const container = containerOfFrame(flow, frame);
    const was = before.get(id);
    const data: FrameData = { frameId, frame, ...(folded ? foldedData(flow, frame, folded) : {}) };
    if (was && sameData(was.data, data) && was.selected === selected && was.parentId === container && !was.dragging) {
      drawn.push(was);
      continue;
    }
    const { x, y, title, nodes } = frame;
    const { width, height } = folded ? FOLDED_FRAME : frame;
    const depth = containersAround(flow, first).length;
    drawn.push({
      id,
      type: "frame",
      ...(container === undefined ? {} : { parentId: container }),
      ...(was?.dragging ? { dragging: true } : {}),
      position: was?.dragging ? was.position : { x, y },
      data,
      ...(folded ? { handles: foldedHandles(folded) } : {}),
      selected,
      width,
      height,
      measured: { width, height },
      connectable: false,
      ariaLabel: (folded ? TEXTS.foldedFrameOf : TEXTS.frameOf)(title, nodes.length),
      ariaRole: "group",
      // A folded one is like a card, an open one below the notes beside it.
      zIndex: 2 * depth + (folded ? 1 : -2),
    });
  }
  return drawn;
}

function foldedData(flow: Flow, frame: Frame, folded: FoldedSides): Partial<FrameData> {
  const main = flow.nodes[mainOf(flow, frame) ?? ""];
  return { folded, ...(main ? { main } : {}), disabled: frame.nodes.every((id) => isDisabled(flow, id)) };
}

function sameData(a: FrameData, b: FrameData): boolean {
  return (
    a.frame === b.frame &&
    a.main === b.main &&
    a.disabled === b.disabled &&
    a.folded?.into === b.folded?.into &&
    a.folded?.outOf === b.folded?.outOf
  );
}

/** All that React Flow draws: each frame after the loop it is in and before its nodes. */
export function withFrameElements(frames: readonly FrameNode[], nodes: readonly CanvasNode[]): CanvasElement[] {
  if (frames.length === 0) return [...nodes];
  const byContainer = new Map<NodeId | undefined, FrameNode[]>();
  for (const frame of frames) byContainer.set(frame.parentId, [...(byContainer.get(frame.parentId) ?? []), frame]);
  const inside = (container: NodeId | undefined) => byContainer.get(container) ?? [];
  return [...inside(undefined), ...nodes.flatMap((node) => [node, ...inside(node.id)])];
}

/** Frames, drawn large enough for their cards. Dragged nodes do not count. */
export function fitFrames(frames: readonly FrameNode[], nodes: readonly CanvasNode[]): FrameNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return frames.map((frame) => {
    if (frame.resizing || frame.dragging || frame.data.folded) return frame;
    const boxes = frame.data.frame.nodes.flatMap((id) => {
      const node = byId.get(id);
      if (!node || node.dragging || node.parentId !== frame.parentId) return [];
      return [{ ...node.position, width: node.measured?.width ?? 0, height: node.measured?.height ?? 0 }];
    });
    if (boxes.length === 0) return frame;
    const own = { ...frame.position, width: frame.width ?? 0, height: frame.height ?? 0 };
    const { x, y, width, height } = boxAroundBoth(own, frameAround(boxes));
    if (x === own.x && y === own.y && width === own.width && height === own.height) return frame;
    return { ...frame, position: { x, y }, width, height, measured: { width, height } };
  });
}
