import { FileInput, FileX } from "lucide-react";
import { useEffect, useState } from "react";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";
import { type FileDrag, fileDrag, openDropped } from "./file-drop";

/** Takes files dropped anywhere on the window. While they are dragged over it, says what will happen. */
export function DropOverlay() {
  const drag = useFileDrop();
  if (!drag) return null;
  const Icon = drag.opens ? FileInput : FileX;
  return (
    <div
      className="pointer-events-none fixed inset-0 z-50 grid place-items-center bg-black/45 p-4"
      role="status"
      data-testid="drop-overlay"
    >
      <div
        className={`pop flex max-w-[440px] flex-col items-center gap-2 border-2 border-dashed px-8 py-6 text-center ${drag.opens ? "border-accent" : "border-line-2"}`}
      >
        <Icon size={28} aria-hidden className={drag.opens ? "text-accent" : "text-fg-3"} />
        <p className="font-semibold text-lg">{drag.opens ? TEXTS.dropToOpen(drag.count) : TEXTS.cannotOpenDropped}</p>
        <p className="text-fg-2">{drag.opens ? TEXTS.dropExplained : TEXTS.dropOnReply}</p>
      </div>
    </div>
  );
}

function useFileDrop(): FileDrag | undefined {
  const workspace = useWorkspace();
  const [drag, setDrag] = useState<FileDrag>();
  useEffect(() => {
    const onDrag = (event: DragEvent) => {
      const over = fileDrag(event);
      setDrag((before) => (before?.count === over?.count && before?.opens === over?.opens ? before : over));
      if (!over || !event.dataTransfer) return;
      event.preventDefault();
      event.stopPropagation();
      event.dataTransfer.dropEffect = over.opens ? "copy" : "none";
    };
    const onLeave = (event: DragEvent) => {
      // Between two parts of the window there is a next one.
      if (event.relatedTarget === null) setDrag(undefined);
    };
    const onDrop = (event: DragEvent) => {
      setDrag(undefined);
      if (!fileDrag(event)) return;
      // Or the page would become the file.
      event.preventDefault();
      event.stopPropagation();
      void openDropped(workspace, [...(event.dataTransfer?.files ?? [])]);
    };
    // Before the parts of the window: a code editor would put in the text of the file.
    const options = { capture: true };
    window.addEventListener("dragenter", onDrag, options);
    window.addEventListener("dragover", onDrag, options);
    window.addEventListener("dragleave", onLeave, options);
    window.addEventListener("drop", onDrop, options);
    return () => {
      window.removeEventListener("dragenter", onDrag, options);
      window.removeEventListener("dragover", onDrag, options);
      window.removeEventListener("dragleave", onLeave, options);
      window.removeEventListener("drop", onDrop, options);
    };
  }, [workspace]);
  return drag;
}
