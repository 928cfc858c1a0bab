import { type NodeProps, NodeResizer } from "@xyflow/react";
import { type CSSProperties, memo } from "react";
import type { FrameId } from "@/bindings";
import { TitleField } from "@/canvas/cards/CardTitle";
import { FoldButton } from "@/canvas/cards/FoldedParts";
import { sizesOf } from "@/canvas/measure/boxes";
import { TEXTS } from "@/canvas/texts";
import { tint } from "@/flow/edits/canvas-colors";
import { resizeFrame } from "@/flow/edits/frames";
import type { FrameNode } from "@/workspace/canvas-store";
import { useCanvas, useFlow, useWorkspace } from "@/workspace/context";
import { FoldedFrame } from "./FoldedFrame";
import { foldFrame } from "./frame-commands";

const MIN_SIZE = { width: 120, height: 80 };

/** A frame: a tinted box with its title, behind its nodes; a card while it is folded. Double-click the title or press F2 to change it. */
export const FrameBox = memo(function FrameBox({ id, data, selected }: NodeProps<FrameNode>) {
  const workspace = useWorkspace();
  const { editor, canvas } = workspace;
  const { frameId, frame } = data;
  const renaming = useCanvas((state) => state.renaming === id);
  const isTarget = useCanvas((state) => state.dropTarget === id);
  if (data.folded) return <FoldedFrame data={data} selected={selected} />;
  return (
    <div
      className="frame"
      data-testid={`frame-${frameId}`}
      data-selected={selected || undefined}
      data-color={frame.color}
      data-drop-target={isTarget || undefined}
      style={{ "--tint": tint(frame.color) } as CSSProperties}
    >
      <FrameResizer frameId={frameId} isVisible={selected} />
      {renaming ? (
        <TitleField
          id={id}
          label={TEXTS.frameTitle}
          title={frame.title}
          placeholder={TEXTS.newFrame}
          onRename={(title) => editor.renameFrame(frameId, title)}
        />
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: F2 does the same from the keyboard.
        <b
          className="frame-title"
          title={frame.title}
          onDoubleClick={(event) => {
            event.stopPropagation();
            if (editor.mayEdit()) canvas.set({ renaming: id });
          }}
        >
          {frame.title}
        </b>
      )}
      <FoldButton
        folded={false}
        label={TEXTS.foldFrame}
        testId={`fold-${id}`}
        onToggle={() => foldFrame(workspace, frameId, true)}
      />
    </div>
  );
});

/** The borders by which a frame is made larger or smaller. */
export function FrameResizer({ frameId, isVisible }: { frameId: FrameId; isVisible: boolean }) {
  const workspace = useWorkspace();
  const viewing = useFlow((state) => state.viewing !== undefined);
  return (
    <NodeResizer
      isVisible={isVisible && !viewing}
      minWidth={MIN_SIZE.width}
      minHeight={MIN_SIZE.height}
      onResizeEnd={(_, box) =>
        workspace.editor.edit("Resize", (flow) => resizeFrame(flow, frameId, box, sizesOf(workspace)))
      }
    />
  );
}
