import { type RefObject, useEffect, useRef } from "react";
import { Markdown } from "@/design/markdown/Markdown";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { pauseKey } from "@/run/control/pauses";
import { formatIteration } from "@/run/fold/epoch";
import type { OpenPause } from "@/run/fold/types";
import { useLayout, useWorkspace } from "@/workspace/context";
import { ReadLargeButton } from "@/workspace/reader/ReadLargeButton";
import { useActiveSession, usePastRun } from "@/workspace/run-hooks";
import { AnswerForm } from "./AnswerForm";
import { answerForm, isShortForm } from "./answer-schema";
import { TEXTS } from "./texts";
import { UntrustedPath } from "./UntrustedPath";
import { useAnswer } from "./useAnswer";

/** For a form that stays in sight however long the question is, down to the padding of what scrolls. */
const IN_SIGHT =
  "before:-top-3 sticky -bottom-2.5 -mx-2.5 -mb-2 rounded-b-lg bg-bg px-2.5 pb-2 before:pointer-events-none before:absolute before:inset-x-0 before:h-3 before:bg-linear-to-t before:from-bg before:to-transparent";

/** A question that waits for a person, and the place to answer it. In the past of a run nothing can be answered. */
export function PauseCard({ pause }: { pause: OpenPause }) {
  const workspace = useWorkspace();
  const box = useRef<HTMLElement>(null);
  const { busy, error, answer, end } = useAnswer(pause);
  const session = useActiveSession();
  const isPast = usePastRun() !== undefined;
  const { asker } = pause;
  const iteration = formatIteration(pause.epoch);
  const name = workspace.nodeNames.nameOf(pause.node);
  const asksForMessage = workspace.nodeTypes.get(workspace.nodeNames.typeOf(pause.node) ?? "")?.editor.asksForMessage;
  const key = pauseKey(session?.run ?? "", pause);
  useFocusOfAnswer(box, key);

  return (
    <section
      ref={box}
      aria-label={`${name} asks`}
      data-testid={`pause-${pause.node}`}
      data-epoch={pause.epoch.join(".")}
      className="rounded-lg border border-wait px-2.5 py-2"
    >
      <header className="flex flex-wrap items-baseline gap-x-2">
        <button
          type="button"
          className="truncate font-semibold hover:underline"
          title={TEXTS.showNodeCanvas}
          onClick={() => workspace.canvas.reveal({ node: pause.node })}
        >
          {name}
        </button>
        {iteration ? <span className="shrink-0 text-fg-3">{TEXTS.inIteration(iteration)}</span> : null}
        {asker ? (
          <button
            type="button"
            data-testid="pause-open-child"
            className="shrink-0 text-fg-3 hover:text-fg hover:underline"
            onClick={() => void workspace.runs.open(asker.run)}
          >
            {TEXTS.inSubFlow}
          </button>
        ) : null}
        <span className="flex-1" />
        <span className="self-center">
          <ReadLargeButton title={name} text={pause.prompt} />
        </span>
        {isPast ? null : (
          <button
            type="button"
            data-testid="pause-end"
            disabled={busy}
            title={TEXTS.endWithoutAnswerHint}
            className="shrink-0 text-fg-3 hover:text-fg hover:underline disabled:opacity-50"
            onClick={() => void end()}
          >
            {iteration && asksForMessage ? TEXTS.endConversation : TEXTS.endWithoutAnswer}
          </button>
        )}
      </header>
      <Markdown text={pause.prompt} className="question" />
      <UntrustedPath pause={pause} />
      {isPast ? (
        <p className="text-fg-2 text-sm">{TEXTS.waitedThen}</p>
      ) : (
        <div className={isShortForm(answerForm(pause.schema)) ? IN_SIGHT : ""} data-testid="pause-form">
          <AnswerForm
            key={session?.run}
            schema={pause.schema}
            draftKey={key}
            label={TEXTS.answerTo(name)}
            busy={busy}
            careful={(pause.tool?.untrusted?.length ?? 0) > 0}
            onAnswer={answer}
          />
          {error ? <ErrorMessage error={error} className="mt-1 text-sm" /> : null}
        </div>
      )}
    </section>
  );
}

/** Focuses the answer field when its question is asked for, and when that arrives while nothing else has the focus. */
export function useFocusOfAnswer(box: RefObject<HTMLElement | null>, pause: string): void {
  const { layout, answerTypeAhead } = useWorkspace();
  const requested = useLayout((state) => state.focusAnswer === pause);
  useEffect(() => {
    const active = document.activeElement;
    const idle =
      active === null || active === document.body || active.matches("[data-testid=run-button], [data-testid=messages]");
    if (!requested && !idle) return;
    box.current?.querySelector<HTMLElement>("[data-testid=pause-answer]")?.focus({ preventScroll: !requested });
    // A form without a text field takes no text.
    answerTypeAhead.end();
    if (requested) layout.answerFocused();
  }, [requested, box, layout, answerTypeAhead]);
}
