import { useEffect, useState } from "react";
import { useStore } from "zustand";
import type { InquiryState, NodeId, RunId, Swap, Trial } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { InquiryStore } from "@/run/comparison/inquiry-store";
import { formatRunCost } from "@/run/values/run-totals";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";

type Props = {
  before: RunId;
  after: RunId;
  /** Shows a run. */
  onShow: (run: RunId) => void;
};

/** What made the difference: which differences of flow and inputs turn the outcome of the first run into that of the second. */
export function WhySection({ before, after, onShow }: Props) {
  const { host } = useWorkspace();
  const [inquiry] = useState(() => new InquiryStore(host));
  const inquiring = useStore(inquiry.store);
  // Who closes the dialog wants no more forks.
  useEffect(() => () => inquiry.stop(), [inquiry]);
  const { step, error } = inquiring;
  return (
    <section className="mb-4 rounded-lg border border-line px-3 py-2" data-testid="why">
      <h3 className="font-semibold text-fg-2 text-sm">{TEXTS.whatMadeTheDifference}</h3>
      <p className="mt-1 text-fg-2 text-sm">{TEXTS.whyHelp}</p>
      {"state" in inquiring ? (
        <Progress state={inquiring.state} onShow={onShow} />
      ) : (
        <Question
          busy={step === "asking"}
          onAsk={(when, samples) => void inquiry.begin({ before, after, when, samples })}
        />
      )}
      {step === "ready" ? (
        <Button className="mt-2" kind="main" data-testid="why-run" onClick={() => void inquiry.run()}>
          {TEXTS.makeForks}
        </Button>
      ) : null}
      {step === "running" ? (
        <Button className="mt-2" onClick={() => inquiry.stop()}>
          {TEXTS.stopForks}
        </Button>
      ) : null}
      <div aria-live="polite">{step === "done" ? <Conclusion state={inquiring.state} /> : null}</div>
      {error === undefined ? null : <ErrorMessage error={HostError.from(error)} className="mt-2 text-sm" />}
    </section>
  );
}

const FIELD =
  "h-[30px] rounded-md border border-line bg-bg-2 px-2 text-sm outline-none placeholder:text-fg-3 focus:border-accent";

/** What outcome is meant, and how often each fork is made. */
function Question({ busy, onAsk }: { busy: boolean; onAsk: (when: string | undefined, samples: number) => void }) {
  const [when, setWhen] = useState("");
  const [samples, setSamples] = useState("1");
  const count = Number(samples);
  const isCount = Number.isInteger(count) && count >= 1 && count <= 50;
  return (
    <form
      className="mt-2 flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (isCount) onAsk(when.trim() || undefined, count);
      }}
    >
      <label className="flex min-w-0 flex-1 flex-col gap-1 text-fg-2 text-xs">
        {TEXTS.outcome}
        <input
          className={`${FIELD} font-mono`}
          value={when}
          placeholder={TEXTS.outcomePlaceholder}
          spellCheck={false}
          onChange={(event) => setWhen(event.target.value)}
        />
      </label>
      <label className="flex w-[90px] flex-col gap-1 text-fg-2 text-xs">
        {TEXTS.samples}
        <input
          className={FIELD}
          inputMode="numeric"
          value={samples}
          aria-invalid={!isCount}
          onChange={(event) => setSamples(event.target.value)}
        />
      </label>
      <Button type="submit" disabled={busy || !isCount} data-testid="why-ask">
        {TEXTS.showCost}
      </Button>
    </form>
  );
}

/** The differences with what their forks say, and what all of it costs. */
function Progress({ state, onShow }: { state: InquiryState; onShow: (run: RunId) => void }) {
  const { nodeNames } = useWorkspace();
  const { inquiry, next, atMostNanoUsd, unknown, spentNanoUsd } = state;
  const cost = (nanoUsd: number) => formatRunCost({ nanoUsd }, false);
  const shown = inquiry.trials.filter((trial, at) => trial.swaps.length === 1 || trial.runs.length > 0 || at === next);
  return (
    <>
      <ul className="mt-2 flex flex-col gap-1" data-testid="why-trials">
        {shown.map((trial) => (
          <li key={trial.swaps.join()} className="flex items-baseline gap-3 text-sm">
            <MixtureName text={trial.swaps.map((at) => describe(inquiry.swaps[at], nodeNames)).join(" + ")} />
            <Samples trial={trial} onShow={onShow} />
          </li>
        ))}
      </ul>
      <p className="mt-2 text-fg-2 text-sm tabular-nums">
        {TEXTS.forksCost(cost(spentNanoUsd), cost(atMostNanoUsd))}
        {unknown > 0 ? TEXTS.withoutBound(unknown) : ""}
      </p>
    </>
  );
}

/** What each sample of a mixture said; each leads to its run. */
function Samples({ trial: { runs, refused }, onShow }: { trial: Trial; onShow: (run: RunId) => void }) {
  if (refused !== undefined) return <span className="text-fg-3 text-xs">{refused}</span>;
  return (
    <span className="flex shrink-0 gap-1">
      {runs.map(({ run, flipped, unanswered }) => (
        <button
          key={run}
          type="button"
          className={`rounded px-1.5 py-0.5 text-xs ${flipped ? "bg-wait/15 text-wait" : "bg-bg-3 text-fg-2"} hover:underline`}
          title={unanswered === undefined ? undefined : TEXTS.notAnswered(unanswered)}
          onClick={() => onShow(run)}
        >
          {flipped === undefined ? TEXTS.undecided : flipped ? TEXTS.asInSecond : TEXTS.asInFirst}
        </button>
      ))}
    </span>
  );
}

function Conclusion({ state: { inquiry, verdict } }: { state: InquiryState }) {
  const { nodeNames } = useWorkspace();
  if (verdict.kind !== "found") return <p className="mt-2 text-sm">{TEXTS.nothingTurns}</p>;
  const percent = (part: number) => Math.round(part * 100);
  return (
    <div className="mt-2 text-sm" data-testid="why-found">
      {verdict.causes.map(({ swaps, rate }) => (
        <p key={swaps.join()}>
          <b className="font-medium">
            {swaps.map((at) => describe(inquiry.swaps[at], nodeNames)).join(TEXTS.togetherWith)}
          </b>
          <span className="ml-2 text-fg-2">
            {TEXTS.turnsInForks(rate.passed, rate.runs, percent(rate.low), percent(rate.high))}
          </span>
        </p>
      ))}
    </div>
  );
}

function MixtureName({ text }: { text: string }) {
  return (
    <span className="min-w-0 flex-1 truncate" title={text}>
      {text}
    </span>
  );
}

type Names = { nameOf: (node: NodeId) => string };

function describe(swap: Swap | undefined, names: Names): string {
  if (swap === undefined) return "";
  if (swap.kind === "structure") return TEXTS.nodesAndEdges(swap.changes.length);
  const place = swap.change.pointer.slice(1).replaceAll("/", " › ").replace("config › ", "");
  return `${placeOf(swap, place, names)}: ${short(swap.change.before)} → ${short(swap.change.after)}`;
}

function placeOf(swap: Exclude<Swap, { kind: "structure" }>, place: string, names: Names): string {
  switch (swap.kind) {
    case "input":
      return TEXTS.inputOfRun;
    case "flow":
      return place;
    case "set":
      return `${names.nameOf(swap.node)} › ${swap.port}`;
    case "node":
      return `${names.nameOf(swap.node)} › ${place}`;
  }
}

/** The longest value that is shown of a difference, in characters. */
const MAX_SHOWN = 40;

function short(value: unknown): string {
  if (value === undefined) return TEXTS.nothing;
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
