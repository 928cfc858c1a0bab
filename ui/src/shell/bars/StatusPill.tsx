import { Ban, Check, CircleAlert, CircleDot, CirclePause, LoaderCircle, Unplug } from "lucide-react";
import type { ReactNode } from "react";
import type { RunStatus } from "@/bindings";
import { pauseKey } from "@/run/control/control";
import { formatIteration } from "@/run/fold/epoch";
import type { RunHead } from "@/run/fold/types";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";
import { useActiveSession, useInterrupted, useRunHead } from "@/workspace/run-hooks";
import type { Workspace } from "@/workspace/workspace";

type StatusView = { status: RunStatus; text: string; icon: ReactNode; action?: () => void; what?: string };

/** Text on a light tint of its own color; `contrast.test.ts` checks the contrast. */
export const TONES: Record<RunStatus, string> = {
  running: "bg-accent/15 text-accent",
  waiting: "bg-wait/15 text-wait",
  stopped: "bg-bad/15 text-bad",
  interrupted: "bg-wait/15 text-wait",
  finished: "bg-ok/15 text-ok",
  failed: "bg-bad/15 text-bad",
  cancelled: "bg-bg-3 text-fg-2",
};

const ICON = { size: 13, strokeWidth: 2.25, "aria-hidden": true } as const;

/** How the run is doing, in two or three words. Where there is something to do about it, it is the button that does it. */
export function StatusPill() {
  const workspace = useWorkspace();
  const session = useActiveSession();
  const interrupted = useInterrupted();
  const head = useRunHead((head) => head);
  if (!session) return null;
  const displayed = describe(head, interrupted, session.run, workspace);
  const look = `inline-flex h-[26px] min-w-0 items-center gap-1.5 whitespace-nowrap rounded-full px-3 text-xs font-semibold ${TONES[displayed.status]}`;
  return (
    <div role="status" aria-live="polite" className="flex min-w-0">
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
        <span data-testid="run-status" data-status={displayed.status} className={look}>
          <span className="shrink-0">{displayed.icon}</span> <span className="truncate">{displayed.text}</span>
        </span>
      )}
    </div>
  );
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
        text: head.stop?.at ? TEXTS.pausedAt(workspace.nodeNames.nameOf(head.stop.at.node)) : TEXTS.paused,
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
