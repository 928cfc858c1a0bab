import { Sparkles } from "lucide-react";
import { useMemo } from "react";
import type { Activation, ContextId } from "@/bindings";
import { GrowingMarkdown } from "@/design/markdown/GrowingMarkdown";
import { epochOf, sameEpoch } from "@/run/fold/epoch";
import { useWorkspace } from "@/workspace/context";
import { useContextView, useInterrupted, useNodeOf, useObserved, useRunHead } from "@/workspace/run-hooks";
import { Spoken } from "./MessageRow";
import { blocksOf } from "./markdown-blocks";
import { TEXTS } from "./texts";

/** The reply that is streaming in this context, before it is in the history. */
export function StreamingRow({ context }: { context: ContextId }) {
  const turn = useContextView(context)?.turn;
  return turn ? <Streaming turn={turn} /> : null;
}

function Streaming({ turn }: { turn: Activation }) {
  const workspace = useWorkspace();
  const text = useNodeOf(turn.node, (view) => epochOf(view, turn.epoch)?.streamed ?? "");
  const reasoning = useNodeOf(turn.node, (view) => epochOf(view, turn.epoch)?.reasoning ?? "");
  const tools = useNodeOf(turn.node, (view) => epochOf(view, turn.epoch)?.tools);
  const calling = tools?.findLast((tool) => tool.endedAt === undefined)?.call.name;
  const heldCall = useRunHead(
    ({ stops }) =>
      stops?.find(({ at }) => at?.side === "call" && at.node === turn.node && sameEpoch(at.epoch, turn.epoch))?.at
        ?.call,
  );
  const name = workspace.nodeNames.nameOf(turn.node);
  const isInterrupted = useInterrupted();
  const isRecorded = useObserved();
  const isGoingOn = heldCall === undefined && !isInterrupted;
  const isQuiet = text === "" && reasoning === "" && !calling;
  // Only the last block grows.
  const blocks = useMemo(() => blocksOf(text), [text]);
  return (
    <Spoken
      avatar={<Sparkles size={13} aria-hidden />}
      tone="bg-accent/25 text-accent"
      who={isGoingOn ? TEXTS.isAnswering(name) : isInterrupted ? TEXTS.isInterrupted(name) : TEXTS.isPaused(name)}
    >
      <div aria-busy={isGoingOn} data-testid="streaming">
        {reasoning ? <Thoughts text={reasoning} over={text !== "" || isInterrupted} /> : null}
        {blocks.map((block, index) => (
          <GrowingMarkdown key={block.at} text={block.text} complete={index < blocks.length - 1} />
        ))}
        {calling && !isInterrupted ? <p className="text-tools text-xs">{TEXTS.calling(calling)}</p> : null}
        {isInterrupted ? <p className="text-wait">{isRecorded ? TEXTS.recordingEnded : TEXTS.processEnded}</p> : null}
        {heldCall === undefined || isInterrupted ? null : <p className="text-bad">{TEXTS.pausedBefore(heldCall)}</p>}
        {isQuiet && isGoingOn ? <p className="text-fg-3">{TEXTS.thinking}</p> : null}
      </div>
    </Spoken>
  );
}

/** While reasoning streams, only its end is shown. */
const MAX_REASONING_LENGTH = 1500;

/** The model's reasoning as it streams; it folds when the answer begins. */
function Thoughts({ text, over }: { text: string; over: boolean }) {
  return (
    <details open={!over} className="mb-1 text-fg-3 text-sm">
      <summary className="w-fit">{over ? TEXTS.reasoning : TEXTS.thinking}</summary>
      <p className="whitespace-pre-wrap">
        {text.length > MAX_REASONING_LENGTH ? `…${text.slice(-MAX_REASONING_LENGTH)}` : text}
      </p>
    </details>
  );
}
