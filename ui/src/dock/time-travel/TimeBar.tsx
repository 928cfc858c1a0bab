/** The journal of the run as a slider: its position is the event after which the window shows the run. */
import { ChevronLeft, ChevronRight, CirclePause, GitBranch, Rewind, SkipForward } from "lucide-react";
import type { KeyboardEvent, ReactNode } from "react";
import type { Entry } from "@/bindings";
import { Button, IconButton } from "@/design/controls/Button";
import { formatIteration } from "@/run/fold/epoch";
import type { RunSession } from "@/run/live/session";
import { formatCount, formatDuration } from "@/run/values/format";
import { useCommands, useFlow, useWorkspace } from "@/workspace/context";
import { useActiveSession, useEventCount, usePastRun } from "@/workspace/run-hooks";
import { TEXTS } from "./texts";

const ICON = { size: 14, "aria-hidden": true } as const;

const VERBS: readonly { command: string; icon: ReactNode }[] = [
  { command: "time.lastStop", icon: <CirclePause {...ICON} /> },
  { command: "time.lastChange", icon: <Rewind {...ICON} /> },
  { command: "time.back", icon: <ChevronLeft {...ICON} /> },
  { command: "time.forward", icon: <ChevronRight {...ICON} /> },
  { command: "time.fork", icon: <GitBranch {...ICON} /> },
];

/** `340 ms`: shorter durations may come before any run's end. */
const MIN_TIME_CHARS = 6;

/** The slider with its verbs; nothing without a run that has begun. */
export function TimeBar({ className = "" }: { className?: string }) {
  const session = useActiveSession();
  const count = useEventCount();
  if (!session || count === 0) return null;
  return (
    <section
      className={`@container flex h-[34px] shrink-0 items-center gap-1.5 px-2.5 ${className}`}
      aria-label={TEXTS.timeTravel}
      data-testid="time-bar"
    >
      <div className="flex shrink-0">
        {VERBS.map((verb) => (
          <VerbButton key={verb.command} {...verb} />
        ))}
      </div>
      <Journal session={session} count={count} />
      <NowButton isLive={session.live} />
    </section>
  );
}

function VerbButton({ command, icon }: (typeof VERBS)[number]) {
  const commands = useCommands();
  // Whether it leads anywhere depends on the shown position and on the selected node.
  usePastRun();
  useFlow((state) => state.selection);
  const { title } = commands.get(command);
  return (
    <IconButton
      className="size-[26px]!"
      label={title}
      keys={commands.keysOf(command)}
      icon={icon}
      disabled={!commands.isEnabled(commands.get(command))}
      data-testid={command}
      onClick={() => commands.run(command)}
    />
  );
}

/** The slider, with the times around it and what happened at its position. */
function Journal({ session, count }: { session: RunSession; count: number }) {
  const { activeRun, nodeNames } = useWorkspace();
  const past = usePastRun();
  const position = past?.count ?? count;
  const { entries } = session.log;
  const start = entries[0]?.at ?? 0;
  const entry = entries[position - 1];
  const time = formatDuration((entry?.at ?? start) - start);
  const whole = formatDuration((entries.at(-1)?.at ?? start) - start);
  // The slider must not change its width while it is dragged.
  const timeWidth = `${Math.max(MIN_TIME_CHARS, whole.length)}ch`;
  const place = TEXTS.position(formatCount(position), formatCount(count));
  const what = entry ? describe(entry, (node) => nodeNames.nameOf(node)) : [];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !past) return;
    // A dock that floats would close.
    event.preventDefault();
    activeRun.lookAt(undefined);
  };
  return (
    <>
      <Time text={time} width={timeWidth} />
      <input
        type="range"
        className="time-slider min-w-0 flex-1"
        min={1}
        max={Math.max(2, count)}
        step={1}
        value={position}
        aria-label={TEXTS.event}
        aria-valuetext={[place, ...what, time].join(", ")}
        data-testid="time-slider"
        data-past={past !== undefined || undefined}
        style={{ "--share": count > 1 ? (position - 1) / (count - 1) : 1 } as React.CSSProperties}
        onChange={(event) => activeRun.lookAt(event.currentTarget.valueAsNumber)}
        onKeyDown={onKeyDown}
      />
      <Time text={whole} width={timeWidth} className="@max-[760px]:hidden" />
      <p
        className="w-[340px] shrink-0 truncate text-fg-2 text-xs tabular-nums @max-[1000px]:w-[260px] @max-[760px]:w-[256px]"
        title={[place, ...what].join(" · ")}
        data-testid="time-position"
      >
        {past ? <b className="font-semibold text-info">{place}</b> : place}
        {what.map((part) => (
          <span key={part}> · {part}</span>
        ))}
      </p>
    </>
  );
}

function Time({ text, width, className = "" }: { text: string; width: string; className?: string }) {
  return (
    <span
      className={`shrink-0 whitespace-nowrap text-right font-mono text-fg-2 text-xs tabular-nums ${className}`}
      style={{ width }}
      aria-hidden
    >
      {text}
    </span>
  );
}

/** The way back. The run as it is needs none: then it says whether it goes on. */
function NowButton({ isLive }: { isLive: boolean }) {
  const { activeRun } = useWorkspace();
  const isPast = usePastRun() !== undefined;
  if (isPast) {
    return (
      <Button
        className="h-[24px]! w-16 px-2 text-xs"
        aria-keyshortcuts="Escape"
        data-testid="time-now"
        onClick={() => activeRun.lookAt(undefined)}
      >
        <SkipForward size={12} aria-hidden /> {TEXTS.now}
      </Button>
    );
  }
  return (
    <span className="inline-flex h-[24px] w-16 shrink-0 items-center justify-center text-xs">
      {isLive ? <span className="rounded-md bg-ok/10 px-2 py-0.5 font-semibold text-ok">{TEXTS.live}</span> : null}
    </span>
  );
}

/** An event in a few words: its type, its node and the node's iteration. */
function describe(entry: Entry, nameOf: (node: string) => string): string[] {
  if (!("node" in entry)) return [entry.type];
  const iteration = "epoch" in entry ? formatIteration(entry.epoch) : "";
  return [entry.type, iteration ? `${nameOf(entry.node)} #${iteration}` : nameOf(entry.node)];
}
