import { TypeBadge } from "@/design/icons/Icon";
import { useCanvas } from "@/workspace/context";

/** The card that follows the pointer while a node type is dragged. */
export function DragGhost() {
  const dragging = useCanvas((state) => state.draggedType);
  if (!dragging) return null;
  return (
    <div
      className="drag-ghost"
      data-over-canvas={dragging.overCanvas || undefined}
      style={{ transform: `translate(${dragging.at.x}px, ${dragging.at.y}px) translate(-50%, -50%)` }}
      aria-hidden
    >
      <TypeBadge type={dragging.type} />
      {dragging.type.title}
    </div>
  );
}
