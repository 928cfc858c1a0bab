import { SquareDashed } from "lucide-react";
import { useId } from "react";
import type { FrameId, NodeId } from "@/bindings";
import { CONTROL } from "@/design/controls/control";
import { useDraft } from "@/design/controls/useDraft";
import { Icon } from "@/design/icons/Icon";
import { displayedFlow } from "@/flow/document/flow-state";
import { useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";
import { ColorRow } from "./ColorRow";
import { TEXTS } from "./texts";

/** The nodes of a frame. A press leads to one of them, and opens a frame that is folded. */
function FramedNodes({ nodes }: { nodes: readonly NodeId[] }) {
  const { canvas, nodeNames } = useWorkspace();
  const flow = useFlow(displayedFlow);
  const types = useNodeTypes((all) => all.byType);
  const heading = useId();
  return (
    <section aria-labelledby={heading} className="flex flex-col gap-1">
      <h3 id={heading} className="font-medium text-sm">
        {TEXTS.nodesOfFrame}
      </h3>
      <ul className="flex flex-col">
        {nodes.map((id) => (
          <li key={id}>
            <button
              type="button"
              className="flex w-full items-center gap-2 rounded-md px-1.5 py-1 text-left hover:bg-bg-3"
              onClick={() => canvas.reveal({ node: id })}
            >
              <Icon name={types.get(flow.nodes[id]?.type ?? "")?.icon} className="shrink-0 text-fg-2" />
              <span className="truncate">{nodeNames.nameOf(id)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A frame: its title, its color and its nodes. */
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
        <FramedNodes nodes={frame.nodes} />
      </div>
    </div>
  );
}
