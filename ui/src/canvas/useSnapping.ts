import type { NodeChange } from "@xyflow/react";
import { useEffect, useMemo } from "react";
import type { NodeId } from "@/bindings";
import { type Box, bounds, type Point } from "@/flow/align";
import { type Guide, type GuideIndex, indexBoxes, snapToGrid, snapToGuides } from "@/flow/alignment-guides";
import { containersAround, withBodies } from "@/flow/containers";
import type { CanvasNode } from "@/workspace/canvas-store";
import { useWorkspace } from "@/workspace/context";
import type { Workspace } from "@/workspace/workspace";
import { boxesOf } from "./boxes";
import { GRID } from "./geometry";
import { snapSettings } from "./snap-settings";
import { viewBox } from "./view";

/** So far a dragged node is pulled to a guide, in screen pixels. */
const REACH_PX = 6;
const NOWHERE: Point = { x: 0, y: 0 };

/** Pulls nodes into line while they are dragged. Alt or Ctrl held lets them go anywhere. */
export function useSnapping(): Snapping {
  const workspace = useWorkspace();
  const snapping = useMemo(() => new Snapping(workspace), [workspace]);
  useEffect(() => () => snapping.end(), [snapping]);
  return snapping;
}

class Snapping {
  #index: GuideIndex | undefined;
  /** Where the containers of the dragged nodes are, and how large these nodes are. */
  #dragged = new Map<NodeId, Box>();
  #offset = NOWHERE;
  #held = false;

  constructor(private readonly workspace: Workspace) {}

  begin(dragged: readonly CanvasNode[]): void {
    const { canvas, editor } = this.workspace;
    const { flow } = editor.state;
    const boxes = boxesOf(canvas.drawnNodes());
    const ids = dragged.map((node) => node.id);
    const moving = withBodies(flow, ids);
    const around = new Set(ids.flatMap((id) => containersAround(flow, id)));
    this.#index = indexBoxes([...boxes].flatMap(([id, box]) => (moving.has(id) || around.has(id) ? [] : [box])));
    this.#dragged = new Map(
      dragged.map((node) => {
        const origin = boxes.get(node.parentId ?? "") ?? NOWHERE;
        const { width = 0, height = 0 } = boxes.get(node.id) ?? {};
        return [node.id, { x: origin.x, y: origin.y, width, height }];
      }),
    );
    this.#offset = NOWHERE;
    document.addEventListener("pointermove", this.#readModifiers, { capture: true, passive: true });
    document.addEventListener("keydown", this.#readModifiers, { capture: true, passive: true });
    document.addEventListener("keyup", this.#readModifiers, { capture: true, passive: true });
  }

  /** The changes of a drag with the positions that the nodes are pulled to. */
  adjust(changes: NodeChange<CanvasNode>[]): NodeChange<CanvasNode>[] {
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

  /** Where a dragged node was pulled to. */
  pulled(node: CanvasNode): CanvasNode {
    const { x, y } = node.position;
    return { ...node, position: { x: x + this.#offset.x, y: y + this.#offset.y } };
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

  #update(changes: readonly NodeChange<CanvasNode>[]): void {
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

  #movingBox(changes: readonly NodeChange<CanvasNode>[]): Box | undefined {
    const boxes = new Map<NodeId, Box>();
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
