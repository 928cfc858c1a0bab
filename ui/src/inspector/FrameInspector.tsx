import { SquareDashed } from "lucide-react";
import type { FrameId } from "@/bindings";
import { CONTROL } from "@/design/controls/control";
import { useDraft } from "@/design/controls/useDraft";
import { displayedFlow } from "@/flow/document/flow-state";
import { useFlow, useWorkspace } from "@/workspace/context";
import { ColorRow } from "./ColorRow";
import { TEXTS } from "./texts";

/** A frame: its title and its color. */
export function FrameInspector({ frameId }: { frameId: FrameId }) {
  const { editor } = useWorkspace();
  const frame = useFlow((state) => displayedFlow(state).frames?.[frameId]);
  const readOnly = useFlow((state) => state.viewing !== undefined);
  const draft = useDraft(frame?.title ?? "", (title) => editor.renameFrame(frameId, title));
  if (!frame) return null;
  return (
    <div className="flex h-full flex-col">
      <header className="flex shrink-0 items-center gap-2 border-line border-b px-3 py-2.5">
        <SquareDashed size={16} className="text-fg-2" aria-hidden />
        <h2 className="font-semibold">{TEXTS.frame}</h2>
        <span className="text-fg-3 text-xs">{TEXTS.nodeCount(frame.nodes.length)}</span>
      </header>
      <div className="flex flex-col gap-3 px-3 py-3">
        <label className="flex flex-col gap-1">
          <span className="font-medium text-sm">{TEXTS.frameTitle}</span>
          <input {...draft} className={CONTROL} data-testid="frame-title" readOnly={readOnly} maxLength={120} />
        </label>
        <ColorRow frames={[frameId]} readOnly={readOnly} />
      </div>
    </div>
  );
}
