/**
 * The dock as one line, for small windows: the run's question with the field to reply, or the progress of the run, or in its past
 * the slider.
 */
import { ChevronsDownUp, ChevronsUpDown, CircleDot, Clock } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button } from "@/design/controls/Button";
import { plain } from "@/design/markdown/plain-text";
import { pauseKey } from "@/run/control/pauses";
import type { OpenPause } from "@/run/fold/types";
import { formatCount } from "@/run/values/format";
import { useLayout, useWorkspace } from "@/workspace/context";
import { useActiveSession, useEventCount, usePastRun, useRunHead } from "@/workspace/run-hooks";
import { DOCK_TABS } from ".";
import { AnswerForm } from "./conversation/AnswerForm";
import { answerForm } from "./conversation/answer-schema";
import { useFocusOfAnswer } from "./conversation/PauseCard";
import { useAnswer } from "./conversation/useAnswer";
import { TEXTS } from "./texts";
import { TimeBar } from "./time-travel/TimeBar";

export function DockLine() {
  const pause = useRunHead((head) => head.pauses[0]);
  const session = useActiveSession();
  const isPast = usePastRun() !== undefined;
  const showsTimeBar = useLayout((layout) => isPast && !layout.open.dock);
  const showsQuestions = useLayout((layout) => layout.open.dock && layout.dockTab === "conversation");
  return (
    <section
      className="flex min-h-[44px] shrink-0 items-center gap-3 border-line border-t bg-bg-1 py-1 pr-1.5 pl-3"
      aria-label={TEXTS.dockLine}
      data-testid="dock-line"
    >
      {showsTimeBar ? (
        <TimeBar className="min-w-0 flex-1" />
      ) : pause && session && !isPast && !showsQuestions ? (
        <Question key={pauseKey(session.run, pause)} pause={pause} run={session.run} />
      ) : (
        <span className="min-w-0 flex-1 truncate text-fg-2">
          {!session ? TEXTS.noRunYet : pause ? plain(pause.prompt) : TEXTS.noQuestion}
        </span>
      )}
      {session ? <Events /> : null}
      <UnfoldButton />
    </section>
  );
}

/** A question with a short reply is answered here; any other one in the dock, which has room for its form. */
function Question({ pause, run }: { pause: OpenPause; run: string }) {
  const { layout, nodeNames } = useWorkspace();
  const box = useRef<HTMLDivElement>(null);
  const { busy, error, answer } = useAnswer(pause);
  const key = pauseKey(run, pause);
  const isShort = answerForm(pause.schema).kind === "text";
  const prompt = plain(pause.prompt);
  return (
    <div ref={box} className="flex min-w-0 flex-1 items-center gap-3" data-testid="line-question">
      <CircleDot size={14} className="shrink-0 text-wait" aria-hidden />
      <span
        className={`max-w-[45%] shrink-0 truncate font-semibold ${error ? "text-bad" : ""}`}
        title={error?.message ?? prompt}
        role={error ? "alert" : undefined}
      >
        {error?.message ?? (prompt || TEXTS.resultOf(nodeNames.nameOf(pause.node)))}
      </span>
      {isShort ? (
        <div className="-mt-1.5 min-w-0 flex-1">
          <FocusOfAnswer box={box} pause={key} />
          <AnswerForm schema={pause.schema} draftKey={key} label={prompt} busy={busy} onAnswer={answer} />
        </div>
      ) : (
        <>
          <OpensForAnswer pause={key} />
          <Button data-testid="line-answer" onClick={() => layout.showDockTab("conversation")}>
            {TEXTS.answerInDock}
          </Button>
          <span className="flex-1" />
        </>
      )}
    </div>
  );
}

function FocusOfAnswer({ box, pause }: { box: Parameters<typeof useFocusOfAnswer>[0]; pause: string }) {
  useFocusOfAnswer(box, pause);
  return null;
}

/** A question that was to be answered now, and that has no room in the line, opens the dock. */
function OpensForAnswer({ pause }: { pause: string }) {
  const { layout } = useWorkspace();
  const requested = useLayout((state) => state.focusAnswer === pause);
  useEffect(() => {
    if (requested) layout.showDockTab("conversation");
  }, [requested, layout]);
  return null;
}

function Events() {
  const { layout } = useWorkspace();
  const count = useEventCount();
  return (
    <Button
      kind="quiet"
      className="px-1.5 text-xs"
      title={TEXTS.showEvents}
      data-testid="line-events"
      onClick={() => layout.showDockTab("events")}
    >
      <Clock size={13} aria-hidden /> {TEXTS.events(formatCount(count))}
    </Button>
  );
}

function UnfoldButton() {
  const { layout } = useWorkspace();
  const open = useLayout((state) => state.open.dock);
  const remembered = useLayout((state) => state.dockTab);
  const title = (DOCK_TABS.find((tab) => tab.id === remembered) ?? DOCK_TABS[0])?.title ?? TEXTS.dock;
  return (
    <Button
      kind="quiet"
      className="px-1.5"
      aria-expanded={open}
      aria-label={open ? TEXTS.hideTab(title) : TEXTS.showTab(title)}
      data-testid="dock-unfold"
      onClick={() => layout.toggle("dock")}
    >
      <span className="max-[700px]:hidden">{title}</span>
      {open ? <ChevronsDownUp size={14} aria-hidden /> : <ChevronsUpDown size={14} aria-hidden />}
    </Button>
  );
}
