import { type PointerEvent, type MouseEvent as ReactMouseEvent, useMemo } from "react";
import { boxesOf, isWithin } from "@/canvas/measure/boxes";
import { type Box, overlaps, type Point } from "@/flow/align/align";
import { useWorkspace } from "@/workspace/context";

/**
 * Selecting with a box: what it touches is selected, but a loop only if it is wholly in the box. Else a box drawn in a
 * loop would always select the loop too.
 */
export function useBoxSelection() {
  const { canvas, editor } = useWorkspace();
  return useMemo(() => {
    let pressed: Point | undefined;
    return {
      /** Where the next box begins. Also ends a box without a reported end, as after a canceled pointer. */
      onPress({ clientX, clientY }: PointerEvent) {
        pressed = { x: clientX, y: clientY };
        canvas.boxStart = undefined;
      },
      handlers: {
        onSelectionStart() {
          canvas.boxStart = pressed;
        },
        onSelectionEnd({ clientX, clientY }: ReactMouseEvent) {
          const { boxStart, instance } = canvas;
          canvas.boxStart = undefined;
          if (!boxStart || !instance) return;
          const box = boxBetween(
            instance.screenToFlowPosition(boxStart),
            instance.screenToFlowPosition({ x: clientX, y: clientY }),
          );
          const nodes = canvas.drawnNodes();
          const boxes = boxesOf(nodes);
          // React Flow passes over nodes that the far view keeps hidden.
          const inside = nodes.filter(({ id, type, hidden }) => {
            const place = boxes.get(id);
            return place && (type === "loop" ? isWithin(place, box) : hidden && overlaps(place, box));
          });
          if (inside.length === 0) return;
          const { selection } = editor.state;
          editor.selectOnly({ ...selection, nodes: [...selection.nodes, ...inside.map((node) => node.id)] });
        },
      },
    };
  }, [canvas, editor]);
}

function boxBetween(from: Point, to: Point): Box {
  return {
    x: Math.min(from.x, to.x),
    y: Math.min(from.y, to.y),
    width: Math.abs(to.x - from.x),
    height: Math.abs(to.y - from.y),
  };
}
