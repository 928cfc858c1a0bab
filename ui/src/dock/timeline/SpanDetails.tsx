import { createPortal } from "react-dom";
import type { NodeId } from "@/bindings";
import { epochOf, formatIteration } from "@/run/fold/epoch";
import { formatCount, formatDuration } from "@/run/values/format";
import { oneLine, previewOf, shorten } from "@/run/values/preview";
import { useWorkspace } from "@/workspace/context";
import type { Span, SpanKind } from "./spans";
import { TEXTS } from "./texts";

export type Pointed = { x: number; y: number; node: NodeId; tool?: string; span: Span };

const SPAN_VERBS: Record<SpanKind, string> = {
  work: "worked",
  wait: "waited for you",
  delay: "waited to retry",
  failed: "failed after",
  stopped: "stood still for",
};
const WIDTH = 280;

/** The span below the pointer, in words. */
export function SpanDetails({ pointed, now }: { pointed: Pointed; now: number }) {
  const workspace = useWorkspace();
  const session = workspace.activeRun.session;
  const { span, node, tool } = pointed;
  const view = epochOf(session?.fold.nodes.get(node), span.epoch);
  const start = session?.fold.head.startedAt ?? span.from;
  const iteration = formatIteration(span.epoch);
  const call =
    tool === undefined ? undefined : view?.tools.find((one) => one.call.name === tool && one.startedAt === span.from);
  const right = pointed.x + WIDTH + 24 > window.innerWidth;
  return createPortal(
    <div
      className="pointer-events-none fixed z-[60] rounded-md border border-line bg-bg-1 px-2.5 py-1.5 text-xs shadow-pop"
      style={{
        width: "max-content",
        maxWidth: WIDTH,
        left: right ? undefined : pointed.x + 12,
        right: right ? window.innerWidth - pointed.x + 12 : undefined,
        bottom: window.innerHeight - pointed.y + 12,
      }}
    >
      <p className="font-semibold">
        {tool ?? workspace.nodeNames.nameOf(node)}
        {iteration ? <span className="font-normal text-fg-3">{TEXTS.iteration(iteration)}</span> : null}
      </p>
      <p className="text-fg-2 tabular-nums">
        {SPAN_VERBS[span.kind]} {formatDuration((span.to ?? now) - span.from)}
        {span.to === undefined ? TEXTS.soFar : ""}
        {TEXTS.from} {formatDuration(span.from - start)}
      </p>
      {tool === undefined && view && view.usage.input + view.usage.output > 0 ? (
        <p className="text-fg-2 tabular-nums">
          {TEXTS.tokensInOut(formatCount(view.usage.input), formatCount(view.usage.output))}
        </p>
      ) : null}
      {view && view.attempts.length > 1 && tool === undefined ? (
        <p className="text-fg-2">{TEXTS.attempts(view.attempts.length)}</p>
      ) : null}
      {call ? <p className="text-fg-2">{previewOf(call.call.arguments, 90)}</p> : null}
      {span.kind === "failed" && (call?.error ?? view?.error) ? (
        <p className="text-bad">{shorten(oneLine((call?.error ?? view?.error)?.message ?? ""), 140)}</p>
      ) : null}
    </div>,
    document.body,
  );
}
