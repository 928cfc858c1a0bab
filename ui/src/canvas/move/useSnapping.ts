import type { NodeChange } from "@xyflow/react";
import { useEffect, useMemo } from "react";
import { boxesOf, frameBoxes } from "@/canvas/measure/boxes";
import { GRID } from "@/canvas/measure/geometry";
import { viewBox } from "@/canvas/view/view";
import { type Box, bounds, type Point } from "@/flow/align/align";
import { type Guide, type GuideIndex, indexBoxes, snapToGrid, snapToGuides } from "@/flow/align/alignment-guides";
import { containersAround, withBodies } from "@/flow/containers/containers";
import type { CanvasElement } from "@/workspace/canvas-store";
import { useWorkspace } from "@/workspace/context";
import type { Workspace } from "@/workspace/workspace";
import { snapSettings } from "./snap-settings";

/** The distance from which dragged nodes are pulled to a guide, in screen pixels. */
const REACH_PX = 6;
const NOWHERE: Point = { x: 0, y: 0 };

/** Pulls nodes and frames into line while they are dragged. Alt or Ctrl held lets them go anywhere. */
export function useSnapping(): Snapping {
  const workspace = useWorkspace();
  const snapping = useMemo(() => new Snapping(workspace), [workspace]);
  useEffect(() => () => snapping.end(), [snapping]);
  return snapping;
}

class Snapping {
  #index: GuideIndex | undefined;
  /** Where the containers of the dragged nodes and frames are, and how large these are. */
  #dragged = new Map<string, Box>();
  #offset = NOWHERE;
  #held = false;

  constructor(private readonly workspace: Workspace) {}

  begin(dragged: readonly CanvasElement[]): void {
    const { canvas, editor } = this.workspace;
    const { flow } = editor.state;
    const nodeBoxes = boxesOf(canvas.drawnNodes());
    const frames = canvas.drawnFrames();
    const boxes = new Map([...nodeBoxes, ...frameBoxes(frames, nodeBoxes)]);
    const ids = dragged.flatMap((one) => (one.type === "frame" ? one.data.frame.nodes : [one.id]));
    // Nodes that move along, and their containers, stay in line anyway.
    const excluded = new Set<string>([
      ...withBodies(flow, ids),
      ...ids.flatMap((id) => containersAround(flow, id)),
      ...dragged.map(({ id }) => id),
    ]);
    for (const { id, data } of frames) if (data.frame.nodes.some((one) => excluded.has(one))) excluded.add(id);
    this.#index = indexBoxes([...boxes].flatMap(([id, box]) => (excluded.has(id) ? [] : [box])));
    this.#dragged = new Map(
      dragged.map(({ id, parentId }) => {
        const origin = boxes.get(parentId ?? "") ?? NOWHERE;
        const { width = 0, height = 0 } = boxes.get(id) ?? {};
        return [id, { x: origin.x, y: origin.y, width, height }];
      }),
    );
    this.#offset = NOWHERE;
    document.addEventListener("pointermove", this.#readModifiers, { capture: true, passive: true });
    document.addEventListener("keydown", this.#readModifiers, { capture: true, passive: true });
    document.addEventListener("keyup", this.#readModifiers, { capture: true, passive: true });
  }

  /** The changes of a drag with the positions that the nodes and frames are pulled to. */
  adjust(changes: NodeChange<CanvasElement>[]): NodeChange<CanvasElement>[] {
    if (!this.#index) return changes;
    if (changes.some((change) => change.type === "position" && change.dragging)) this.#update(changes);
    const { x, y } = this.#offset;
    if (x === 0 && y === 0) return changes;
    return changes.map((change) =>
      change.type === "position" && change.position && this.#dragged.has(change.id)
        ? { ...change, position: { x: change.position.x + x, y: change.position.y + y } }
        : change,
    );
  }

  /** Where a dragged node or frame was pulled to. */
  pulled<E extends CanvasElement>(element: E): E {
    const { x, y } = element.position;
    return { ...element, position: { x: x + this.#offset.x, y: y + this.#offset.y } };
  }

  end(): void {
    this.#index = undefined;
    this.#offset = NOWHERE;
    this.#held = false;
    document.removeEventListener("pointermove", this.#readModifiers, { capture: true });
    document.removeEventListener("keydown", this.#readModifiers, { capture: true });
    document.removeEventListener("keyup", this.#readModifiers, { capture: true });
    this.#show([]);
  }

  #update(changes: readonly NodeChange<CanvasElement>[]): void {
    const { canvas } = this.workspace;
    const { guides, grid } = snapSettings(this.workspace);
    this.#offset = NOWHERE;
    const moving = this.#movingBox(changes);
    const view = viewBox(this.workspace);
    if (this.#held || !this.#index || !moving || !view) {
      this.#show([]);
      return;
    }
    const reach = REACH_PX / (canvas.instance?.getZoom() ?? 1);
    const snap = guides ? snapToGuides(this.#index, moving, { reach, view }) : { dx: 0, dy: 0, guides: [] };
    const toGrid = grid ? snapToGrid(moving, GRID) : NOWHERE;
    const aligned = (vertical: boolean) =>
      snap.guides.some(({ kind, from, to }) => (from.x === to.x) === vertical && kind === "line") ||
      (vertical ? snap.dx : snap.dy) !== 0;
    this.#offset = { x: aligned(true) ? snap.dx : toGrid.x, y: aligned(false) ? snap.dy : toGrid.y };
    this.#show(snap.guides);
  }

  #movingBox(changes: readonly NodeChange<CanvasElement>[]): Box | undefined {
    const boxes = new Map<string, Box>();
    for (const change of changes) {
      const dragged = change.type === "position" ? this.#dragged.get(change.id) : undefined;
      if (change.type !== "position" || !change.position || !dragged) continue;
      const { x, y } = change.position;
      boxes.set(change.id, { ...dragged, x: dragged.x + x, y: dragged.y + y });
    }
    return boxes.size === 0 ? undefined : bounds(boxes);
  }

  #show(guides: readonly Guide[]): void {
    const { canvas } = this.workspace;
    const before = canvas.state.guides ?? [];
    if (before.length > 0 || guides.length > 0) canvas.set({ guides });
  }

  #readModifiers = (event: PointerEvent | KeyboardEvent): void => {
    this.#held = event.altKey || event.ctrlKey;
  };
}
