import { SquareDashed } from "lucide-react";
import type { CSSProperties } from "react";
import type { Frame, Node, NodeId } from "@/bindings";
import { TitleField } from "@/canvas/cards/CardTitle";
import { Findings } from "@/canvas/cards/Findings";
import { FoldButton, FoldedHandles } from "@/canvas/cards/FoldedParts";
import { nodeSummary } from "@/canvas/cards/node-summary";
import { RunLine } from "@/canvas/cards/RunLine";
import { StateRing } from "@/canvas/cards/StatusRing";
import { frameElement } from "@/canvas/elements/frame-ids";
import { TEXTS } from "@/canvas/texts";
import { Icon } from "@/design/icons/Icon";
import { FOLDED_FRAME } from "@/flow/containers/frame-box";
import { tint } from "@/flow/edits/canvas-colors";
import type { FrameData } from "@/workspace/canvas-store";
import { useCanvas, useNodeTypes, useWorkspace } from "@/workspace/context";
import { foldFrame } from "./frame-commands";
import { type FrameRun, useFrameRun, useIsFrameStale } from "./frame-run";

type Props = { data: FrameData; selected: boolean };

/**
 * A folded frame: a card with its title, the count of its nodes and the state of what runs in it. If it stands for one of its
 * nodes, it looks like the card of that node.
 */
export function FoldedFrame({ data, selected }: Props) {
  const { frameId, frame, folded: sides, main, disabled } = data;
  const workspace = useWorkspace();
  const id = frameElement(frameId);
  const type = useNodeTypes((types) => types.byType.get(main?.type ?? ""));
  const renaming = useCanvas((state) => state.renaming === id);
  const isTarget = useCanvas((state) => state.dropTarget === id);
  const run = useFrameRun(frame);
  const isStale = useIsFrameStale(frame);
  return (
    <div
      className="card folded-frame"
      data-testid={`frame-${frameId}`}
      data-folded
      data-type={main?.type}
      data-category={type?.category}
      data-selected={selected || isTarget || undefined}
      data-state={run?.state}
      data-disabled={disabled || undefined}
      data-color={frame.color}
      style={{ height: FOLDED_FRAME.height, "--tint": tint(frame.color) } as CSSProperties}
    >
      <div className="card-head">
        <header>
          {main ? (
            <Icon name={type?.icon} className="card-icon" />
          ) : (
            <SquareDashed size={14} className="card-icon" aria-hidden />
          )}
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
          <Findings id={id} inside={frame.nodes} />
          <StateRing id={id} state={run?.state} isStale={isStale} />
        </header>
        {disabled ? (
          <p className="summary">{TEXTS.disabled}</p>
        ) : main ? (
          <MainLine main={main} id={frame.main ?? ""} run={run} />
        ) : (
          <Count frame={frame} />
        )}
      </div>
      {main ? <Count frame={frame} /> : null}
      <FoldedHandles sides={sides} title={TEXTS.edgesOfFrame} />
    </div>
  );
}

/** What a run says of the node that is most urgent, else the summary of the main node. */
function MainLine({ main, id, run }: { main: Node; id: NodeId; run: FrameRun | undefined }) {
  const type = useNodeTypes((types) => types.byType.get(main.type));
  const summary = nodeSummary(main, type);
  return run ? <RunLine node={run.node ?? id} summary={summary} /> : <p className="summary">{summary}</p>;
}

function Count({ frame: { nodes } }: { frame: Frame }) {
  return <p className="summary frame-count">{TEXTS.nodesInFrame(nodes.length)}</p>;
}
