import { type MouseEvent, useMemo } from "react";
import type { Box } from "@/flow/align";
import { useWorkspace } from "@/workspace/context";
import { boxesOf } from "./boxes";

/**
 * Selecting with a box: what it touches is selected, but a loop only if it is wholly in the box. Else a box drawn in a
 * loop would always select the loop too.
 */
export function useBoxSelection() {
  const { canvas, editor } = useWorkspace();
  return useMemo(
    () => ({
      onSelectionStart(event: MouseEvent) {
        canvas.boxStart = { x: event.clientX, y: event.clientY };
      },
      onSelectionEnd(event: MouseEvent) {
        const { boxStart: start, instance } = canvas;
        canvas.boxStart = undefined;
        if (!start || !instance) return;
        const from = instance.screenToFlowPosition(start);
        const to = instance.screenToFlowPosition({ x: event.clientX, y: event.clientY });
        const box: Box = {
          x: Math.min(from.x, to.x),
          y: Math.min(from.y, to.y),
          width: Math.abs(to.x - from.x),
          height: Math.abs(to.y - from.y),
        };
        const nodes = instance.getNodes();
        const boxes = boxesOf(nodes);
        const inside = nodes.filter((node) => node.type === "loop" && isInside(boxes.get(node.id), box));
        if (inside.length === 0) return;
        const { selection } = editor.state;
        editor.selectOnly({ ...selection, nodes: [...selection.nodes, ...inside.map((node) => node.id)] });
      },
    }),
    [canvas, editor],
  );
}

function isInside(inner: Box | undefined, outer: Box): boolean {
  return (
    inner !== undefined &&
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}
