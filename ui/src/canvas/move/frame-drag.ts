/** Dragging frames, and dragging nodes into them and out of them. */
import type { NodeChange } from "@xyflow/react";
import type { Flow, FrameId, NodeId } from "@/bindings";
import { boxesOf, contains, frameBoxes } from "@/canvas/measure/boxes";
import type { Point } from "@/flow/align/align";
import { outermost } from "@/flow/containers/containers";
import { containerOfFrame, frameOf } from "@/flow/containers/frame-box";
import { place } from "@/flow/edits/edits";
import { moveFrames, takeIn, takeOut } from "@/flow/edits/frames";
import type { CanvasNode, FrameNode } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";

type Start = { at: Point; nodes: ReadonlyMap<NodeId, Point> };

/** Moves the nodes of the frames that are being dragged along with them. */
export class FrameDrag {
  #starts = new Map<string, Start>();

  constructor(private readonly workspace: Pick<Workspace, "canvas" | "editor">) {}

  begin(frames: readonly FrameNode[], dragged: readonly CanvasNode[]): void {
    const { canvas, editor } = this.workspace;
    const held = new Set(outermost(editor.state.flow, [...dragged.map(({ id }) => id)]));
    const drawn = new Map(canvas.drawnFrames().map((frame) => [frame.id, frame.position]));
    const positions = new Map(canvas.drawnNodes().map((node) => [node.id, node.position]));
    this.#starts = new Map(
      frames.map(({ id, position, data }) => {
        const others = data.frame.nodes.filter((one) => !held.has(one));
        const nodes = others.flatMap((one) => [[one, positions.get(one) ?? { x: 0, y: 0 }] as const]);
        return [id, { at: drawn.get(id) ?? position, nodes: new Map(nodes) }];
      }),
    );
  }

  /** The moves of the nodes that follow these moves of frames. */
  follow(changes: readonly NodeChange<FrameNode>[]): NodeChange<CanvasNode>[] {
    return changes.flatMap((change) => {
      const start = change.type === "position" ? this.#starts.get(change.id) : undefined;
      if (change.type !== "position" || !change.position || !start) return [];
      const { x, y } = change.position;
      return [...start.nodes].map(([id, from]) => ({
        id,
        type: "position" as const,
        position: { x: from.x + x - start.at.x, y: from.y + y - start.at.y },
        dragging: change.dragging,
      }));
    });
  }

  /** Puts the dragged frames, with their nodes, and the nodes that were dragged beside them where they are now. */
  drop(frames: readonly FrameNode[], dragged: readonly CanvasNode[]): void {
    const moves = new Map<FrameId, Point>();
    for (const { id, position, data } of frames) {
      const { at } = this.#starts.get(id) ?? { at: position };
      moves.set(data.frameId, { x: Math.round(position.x - at.x), y: Math.round(position.y - at.y) });
    }
    this.#starts.clear();
    this.workspace.editor.edit("Move", (flow) => {
      const placed = place(flow, new Map(dragged.map(({ id, position }) => [id, position])));
      return moveFrames(placed, moves, new Set(dragged.map(({ id }) => id)));
    });
  }
}

/** The frame in a loop's body, or in none, at a place of the canvas. Of several there, the one drawn last. */
export function frameAt(
  { canvas, editor }: Pick<Workspace, "canvas" | "editor">,
  at: Point,
  container: NodeId | undefined,
): FrameId | undefined {
  const { flow } = editor.state;
  const frames = canvas.drawnFrames().filter(({ data }) => containerOfFrame(flow, data.frame) === container);
  const boxes = frameBoxes(frames, boxesOf(canvas.drawnNodes()));
  return frames.findLast(({ id }) => {
    const box = boxes.get(id);
    return box !== undefined && contains(box, at);
  })?.data.frameId;
}

/** Which of the dragged nodes change their frame when they are dropped on one, or on none. A frame goes along with all of its nodes. */
export function joinFrame(flow: Flow, dragged: readonly NodeId[], target: FrameId | undefined): Flow {
  const all = new Set(dragged);
  const moving = dragged.filter((id) => {
    const from = frameOf(flow, id);
    const whole = flow.frames?.[from ?? ""]?.nodes.every((one) => all.has(one)) ?? false;
    return from !== target && !(target === undefined && whole);
  });
  return target === undefined ? takeOut(flow, moving) : takeIn(flow, moving, target);
}
