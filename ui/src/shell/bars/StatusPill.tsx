import { Ban, Check, CircleAlert, CircleDot, CirclePause, Clock, LoaderCircle, Unplug } from "lucide-react";
import type { ReactNode } from "react";
import type { RunStatus } from "@/bindings";
import { pauseKey } from "@/run/control/pauses";
import { formatIteration } from "@/run/fold/epoch";
import type { RunHead } from "@/run/fold/types";
import { formatCount } from "@/run/values/format";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";
import { useActiveSession, useEventCount, useInterrupted, usePastRun, useRunHead } from "@/workspace/run-hooks";
import type { Workspace } from "@/workspace/workspace";

type StatusView = { status: RunStatus | "past"; text: string; icon: ReactNode; action?: () => void; what?: string };

/** Text on a light tint of its own color; `contrast.test.ts` checks the contrast. */
export const TONES: Record<StatusView["status"], string> = {
  running: "bg-accent/15 text-accent",
  waiting: "bg-wait/15 text-wait",
  stopped: "bg-bad/15 text-bad",
  interrupted: "bg-wait/15 text-wait",
  finished: "bg-ok/15 text-ok",
  failed: "bg-bad/15 text-bad",
  cancelled: "bg-bg-3 text-fg-2",
  past: "bg-info/15 text-info",
};

const ICON = { size: 13, strokeWidth: 2.25, "aria-hidden": true } as const;

/** How the run is doing, in two or three words. Where there is something to do about it, it is the button that does it. */
export function StatusPill() {
  const workspace = useWorkspace();
  const session = useActiveSession();
  const interrupted = useInterrupted();
  const past = usePastRun();
  const count = useEventCount();
  const head = useRunHead((head) => head);
  if (!session) return null;
  const displayed = past
    ? describePast(past.count, count, workspace)
    : session.isObserved && head.status === "running"
      ? describeObserved(interrupted)
      : describe(head, interrupted, session.run, workspace);
  const look = `inline-flex h-[26px] min-w-0 items-center gap-1.5 whitespace-nowrap rounded-full px-3 text-xs font-semibold ${TONES[displayed.status]}`;
  return (
    <>
      {/* The number of events grows with the run: only the position is announced. */}
      <span aria-live="polite" className="sr-only">
        {past ? TEXTS.viewingPosition(formatCount(past.count)) : ""}
      </span>
      <div role="status" aria-live={past ? "off" : "polite"} className="flex min-w-0">
        {displayed.action ? (
          <button
            type="button"
            data-testid="run-status"
            data-status={displayed.status}
            className={`${look} hover:brightness-110`}
            onClick={displayed.action}
            title={displayed.what}
          >
            <span className="shrink-0">{displayed.icon}</span> <span className="truncate">{displayed.text}</span>
          </button>
        ) : (
          <span data-testid="run-status" data-status={displayed.status} className={look} title={displayed.what}>
            <span className="shrink-0">{displayed.icon}</span> <span className="truncate">{displayed.text}</span>
          </span>
        )}
      </div>
    </>
  );
}

function describePast(position: number, count: number, { activeRun }: Workspace): StatusView {
  return {
    status: "past",
    text: TEXTS.viewingEvent(formatCount(position), formatCount(count)),
    icon: <Clock {...ICON} />,
    action: () => activeRun.lookAt(undefined),
    what: TEXTS.backToNow,
  };
}

/** A program at work, or what is known of one whose recorder was killed: there is nothing to do about either here. */
function describeObserved(interrupted: boolean): StatusView {
  return interrupted
    ? {
        status: "interrupted",
        text: TEXTS.recordingInterrupted,
        icon: <Unplug {...ICON} />,
        what: TEXTS.recordingInterruptedWhat,
      }
    : { status: "running", text: TEXTS.recordingProgram, icon: <LoaderCircle {...ICON} className="animate-spin" /> };
}

function describe(head: RunHead, interrupted: boolean, run: string, workspace: Workspace): StatusView {
  if (interrupted && head.status === "running") {
    return {
      status: "interrupted",
      text: TEXTS.interruptedResume,
      icon: <Unplug {...ICON} />,
      action: () => void workspace.runs.resume(run),
      what: "The process ended during this run. Resume it where it stopped; finished model calls are not repeated.",
    };
  }
  const goToQuestion = () => {
    const [pause] = head.pauses;
    if (pause) workspace.layout.goToAnswer(pauseKey(run, pause));
  };
  switch (head.status) {
    case "waiting":
      return {
        status: "waiting",
        text: waitingText(head),
        icon: <CircleDot {...ICON} />,
        action: goToQuestion,
        what: "Go to question",
      };
    case "stopped":
      return {
        status: "stopped",
        text: pausedText(head, workspace),
        icon: <CirclePause {...ICON} />,
      };
    case "finished":
      return { status: "finished", text: TEXTS.finished, icon: <Check {...ICON} /> };
    case "failed":
      return {
        status: "failed",
        text: head.error ? TEXTS.failedAt(workspace.nodeNames.nameOf(head.error.node)) : TEXTS.failed,
        icon: <CircleAlert {...ICON} />,
        action: () => workspace.layout.showDockTab("problems"),
        what: "Show problems",
      };
    case "cancelled":
      return { status: "cancelled", text: TEXTS.stopped, icon: <Ban {...ICON} /> };
    default: {
      const asks = head.pauses.length > 0;
      return {
        status: "running",
        text: head.cancelling ? TEXTS.stopping : asks ? TEXTS.runningQuestionOpen : TEXTS.running,
        icon: <LoaderCircle {...ICON} className="animate-spin" />,
        ...(asks ? { action: goToQuestion, what: "Go to question" } : {}),
      };
    }
  }
}

function waitingText(head: RunHead): string {
  if (head.pauses.length > 1) return `Waiting for you · ${head.pauses.length} questions`;
  const iteration = formatIteration(head.waitingOn[0]?.epoch ?? []);
  return iteration ? `Waiting for you · iteration ${iteration}` : "Waiting for you";
}

function pausedText({ stops = [] }: RunHead, { nodeNames }: Workspace): string {
  const [first] = stops;
  if (stops.length > 1) return TEXTS.pausedPlaces(stops.length);
  return first?.at ? TEXTS.pausedAt(nodeNames.nameOf(first.at.node)) : TEXTS.paused;
}
