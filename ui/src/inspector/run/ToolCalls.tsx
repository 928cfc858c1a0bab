import type { ToolProgress } from "@/bindings";
import { InlineCode } from "@/design/text/InlineCode";
import type { EpochView, ToolCallView } from "@/run/fold/types";
import { formatDuration } from "@/run/values/format";
import { CopyButton, ValueView } from "@/run/values/ValueView";
import { AttachedValue } from "@/workspace/attachments/AttachedValue";
import { OriginChips } from "./OriginChips";
import { Box, Section } from "./Section";
import { TEXTS } from "./texts";

/** The tool calls of a model, with arguments and results. */
export function ToolCalls({ view }: { view: EpochView }) {
  if (view.tools.length === 0) return null;
  return (
    <Section title={TEXTS.toolCalls}>
      {view.tools.map((tool, index) => (
        <Box
          // biome-ignore lint/suspicious/noArrayIndexKey: calls are only ever added at the end.
          key={index}
          testid={`io-tool-${tool.call.name}`}
          tone={tool.error ? "border-bad/60" : ""}
          head={<Head tool={tool} />}
        >
          <ValueView value={tool.call.arguments} label={TEXTS.argumentsOf(tool.call.name)} />
          <div className="mt-1 border-line border-t pt-1">
            <Result tool={tool} over={view.endedAt !== undefined} />
            <OriginChips origins={tool.origins} />
          </div>
        </Box>
      ))}
    </Section>
  );
}

function Head({ tool }: { tool: ToolCallView }) {
  return (
    <>
      <b className="truncate font-mono font-semibold text-tools">{tool.call.name}</b>
      {tool.endedAt === undefined ? null : <span>{formatDuration(tool.endedAt - tool.startedAt)}</span>}
      {tool.reused ? <span>{TEXTS.reused}</span> : null}
      <span className="flex-1" />
      <CopyButton
        value={{ call: tool.call, result: tool.result, error: tool.error }}
        label={TEXTS.copyCallOf(tool.call.name)}
      />
    </>
  );
}

function Result({ tool, over }: { tool: ToolCallView; over: boolean }) {
  if (tool.error) {
    return (
      <>
        <p className="break-words text-bad text-sm">
          <InlineCode text={tool.error.message} />
        </p>
        <p className="font-mono text-fg-3 text-xs">{TEXTS.reportedModel(tool.error.code)}</p>
      </>
    );
  }
  if (tool.endedAt === undefined) {
    if (tool.progress && !over) return <Progress name={tool.call.name} progress={tool.progress} />;
    return <p className="text-fg-3 text-sm">{over ? TEXTS.noResult : TEXTS.running}</p>;
  }
  return <AttachedValue value={tool.result ?? null} label={TEXTS.resultOf(tool.call.name)} />;
}

/** How far a running call has come, as the tool reports it. */
function Progress({ name, progress }: { name: string; progress: ToolProgress }) {
  const { progress: done, total, message } = progress;
  return (
    <div data-testid={`tool-progress-${name}`} className="flex flex-col gap-1 text-fg-2 text-sm">
      <progress className="h-1.5 w-full text-tools" aria-label={TEXTS.progressOf(name)} value={done} max={total} />
      <p className="flex gap-2">
        <span className="min-w-0 flex-1 break-words">{message ?? TEXTS.running}</span>
        {total === undefined ? null : <span className="shrink-0 text-fg-3">{TEXTS.doneOf(done, total)}</span>}
      </p>
    </div>
  );
}
