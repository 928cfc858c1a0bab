/** Alignment and distribution. Takes boxes, returns new corners. */
import type { NodeId } from "@/bindings";

export type Point = { x: number; y: number };
export type Box = { x: number; y: number; width: number; height: number };
export type Boxes = ReadonlyMap<NodeId, Box>;
export type Alignment = "left" | "center" | "right" | "top" | "middle" | "bottom";
export type Axis = "horizontal" | "vertical";
type Corners = Map<NodeId, { x: number; y: number }>;

/** Lines boxes up along one edge or the middle of what they cover together. */
export function align(boxes: Boxes, to: Alignment): Corners {
  const all = bounds(boxes);
  return map(boxes, (box) => {
    switch (to) {
      case "left":
        return { x: all.x, y: box.y };
      case "center":
        return { x: all.x + (all.width - box.width) / 2, y: box.y };
      case "right":
        return { x: all.x + all.width - box.width, y: box.y };
      case "top":
        return { x: box.x, y: all.y };
      case "middle":
        return { x: box.x, y: all.y + (all.height - box.height) / 2 };
      case "bottom":
        return { x: box.x, y: all.y + all.height - box.height };
    }
  });
}

/** Distributes boxes with equal gaps; the outermost two stay in place. */
export function distribute(boxes: Boxes, axis: Axis): Corners {
  const [corner, size] = axis === "horizontal" ? (["x", "width"] as const) : (["y", "height"] as const);
  const order = [...boxes].sort(([, a], [, b]) => a[corner] + a[size] / 2 - (b[corner] + b[size] / 2));
  const first = order[0]?.[1];
  const last = order.at(-1)?.[1];
  if (!first || !last || order.length < 3) return map(boxes, ({ x, y }) => ({ x, y }));
  const taken = order.reduce((sum, [, box]) => sum + box[size], 0);
  const gap = (last[corner] + last[size] - first[corner] - taken) / (order.length - 1);
  const corners: Corners = new Map();
  let next = first[corner];
  for (const [id, box] of order) {
    corners.set(id, { x: box.x, y: box.y, [corner]: next });
    next += box[size] + gap;
  }
  return corners;
}

export function bounds(boxes: Boxes): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes.values()) {
    left = Math.min(left, box.x);
    top = Math.min(top, box.y);
    right = Math.max(right, box.x + box.width);
    bottom = Math.max(bottom, box.y + box.height);
  }
  if (left > right) return { x: 0, y: 0, width: 0, height: 0 };
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Whether two boxes have more in common than a border. */
export function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && a.x + a.width > b.x && a.y < b.y + b.height && a.y + a.height > b.y;
}

function map(boxes: Boxes, to: (box: Box) => { x: number; y: number }): Corners {
  return new Map([...boxes].map(([id, box]) => [id, to(box)]));
}
