import { SquareDashed } from "lucide-react";
import type { CSSProperties } from "react";
import type { Frame, FrameId } from "@/bindings";
import { TitleField } from "@/canvas/cards/CardTitle";
import { FoldButton, FoldedHandle } from "@/canvas/cards/FoldedParts";
import { StatusRing } from "@/canvas/cards/StatusRing";
import { frameElement } from "@/canvas/elements/frame-ids";
import { FOLDED_FRAME_HEIGHT } from "@/canvas/measure/geometry";
import { TEXTS } from "@/canvas/texts";
import { tint } from "@/flow/edits/canvas-colors";
import type { FoldedSides } from "@/workspace/canvas-store";
import { useCanvas, useWorkspace } from "@/workspace/context";
import { foldFrame } from "./frame-commands";
import { useFrameState } from "./useFrameState";

type Props = { frameId: FrameId; frame: Frame; sides: FoldedSides; selected: boolean };

/** A folded frame: a card with its title, the count of its nodes and the state of what runs in it. */
export function FoldedFrame({ frameId, frame, sides, selected }: Props) {
  const workspace = useWorkspace();
  const id = frameElement(frameId);
  const renaming = useCanvas((state) => state.renaming === id);
  const isTarget = useCanvas((state) => state.dropTarget === id);
  const state = useFrameState(frame.nodes);
  return (
    <div
      className="card"
      data-testid={`frame-${frameId}`}
      data-folded
      data-selected={selected || isTarget || undefined}
      data-state={state}
      data-color={frame.color}
      style={{ minHeight: FOLDED_FRAME_HEIGHT, "--tint": tint(frame.color) } as CSSProperties}
    >
      <div className="card-head">
        <header>
          <SquareDashed size={14} className="card-icon" aria-hidden />
          {renaming ? (
            <TitleField
              id={id}
              label={TEXTS.frameTitle}
              title={frame.title}
              placeholder={TEXTS.newFrame}
              onRename={(title) => workspace.editor.renameFrame(frameId, title)}
            />
          ) : (
            <b className="card-title" title={frame.title}>
              {frame.title}
            </b>
          )}
          <FoldButton
            folded
            label={TEXTS.unfoldFrame}
            title={TEXTS.unfoldFrameDouble}
            testId={`unfold-${id}`}
            onToggle={() => foldFrame(workspace, frameId, false)}
          />
          <StatusRing node={id} state={state} />
        </header>
        <p className="summary">{TEXTS.nodesInFrame(frame.nodes.length)}</p>
      </div>
      {sides.into ? <FoldedHandle side="in" title={TEXTS.edgesOfFrame} /> : null}
      {sides.outOf ? <FoldedHandle side="out" title={TEXTS.edgesOfFrame} /> : null}
    </div>
  );
}
