/** What can be done at a stop of the debugger, and the values that are held there. A stop of the past can only be read. */
import { ArrowDownToDot, ArrowUpFromDot, ChevronsRight, Play, Redo2, RotateCcw, SkipForward } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Breakpoint, DebugVerb, Side, StopView } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { Tooltip } from "@/design/controls/Tooltip";
import { InlineCode } from "@/design/text/InlineCode";
import { oneLine } from "@/run/values/preview";
import { TEXTS } from "@/shell/texts";
import { placeWords } from "@/workspace/breakpoints/place-words";
import { useKeys, useWorkspace } from "@/workspace/context";
import { usePastRun, useRunHead, useStop } from "@/workspace/run-hooks";
import { textOf } from "@/workspace/values/ValueField";
import { ContinueAll, StopChooser } from "./StopChooser";
import { contextIn, heldContext, StopHistory } from "./StopHistory";
import { StopStack } from "./StopStack";
import { StopValues } from "./StopValues";

const ICON = { size: 14, "aria-hidden": true } as const;

const VERBS: readonly { verb: DebugVerb; command: string; icon: ReactNode }[] = [
  { verb: "continue", command: "debug.continue", icon: <Play {...ICON} /> },
  { verb: "over", command: "debug.over", icon: <Redo2 {...ICON} /> },
  { verb: "into", command: "debug.into", icon: <ArrowDownToDot {...ICON} /> },
  { verb: "out", command: "debug.out", icon: <ArrowUpFromDot {...ICON} /> },
  { verb: "all", command: "debug.all", icon: <ChevronsRight {...ICON} /> },
];

/** What can be done with the node that is held, by its side. */
const EDITS: Partial<Record<Side, (typeof VERBS)[number]>> = {
  before: { verb: "skip", command: "debug.skip", icon: <SkipForward {...ICON} /> },
  after: { verb: "retry", command: "debug.retry", icon: <RotateCcw {...ICON} /> },
};

const NONE: readonly StopView[] = [];

/** The most of a value that is shown in the bar. */
const MAX_SHOWN = 160;

export function StopBar() {
  const stop = useStop();
  const stops = useRunHead((head) => head.stops) ?? NONE;
  const isPast = usePastRun() !== undefined;
  // Another stop begins with its values folded.
  const [open, setOpen] = useState<{ part: "values" | "history"; at: number }>();
  if (!stop) return null;
  const canChange = !isPast && stop.at !== undefined && Object.keys(stop.values).length > 0;
  const edit = stop.at && EDITS[stop.at.side];
  const context = isPast ? undefined : heldContext(stop);
  const isOpen = (part: "values" | "history") => open?.part === part && open.at === stop.number;
  const toggle = (part: "values" | "history") => setOpen(isOpen(part) ? undefined : { part, at: stop.number });
  return (
    <section
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-line border-b bg-bg-1 px-3 py-1.5"
      aria-label={TEXTS.pausedRun}
      data-testid="stop-bar"
    >
      {stops.length > 1 ? <StopChooser stops={stops} stop={stop} /> : null}
      <p className="-ml-1 min-w-0 flex-1 truncate text-sm">
        <Place stop={stop} />
      </p>
      {canChange ? (
        <Button
          kind="quiet"
          aria-expanded={isOpen("values")}
          data-testid="stop-change"
          onClick={() => toggle("values")}
        >
          {TEXTS.values}
        </Button>
      ) : null}
      {context === undefined ? null : (
        <Button
          kind="quiet"
          aria-expanded={isOpen("history")}
          data-testid="stop-edit-history"
          onClick={() => toggle("history")}
        >
          {TEXTS.history}
        </Button>
      )}
      {isPast ? null : (
        <div className="flex shrink-0 items-center gap-1.5" role="toolbar" aria-label={TEXTS.pausedRun}>
          {VERBS.map((verb) => (
            <VerbButton key={verb.verb} {...verb} />
          ))}
          {stops.length > 1 ? <ContinueAll /> : null}
          {edit ? <VerbButton {...edit} /> : null}
        </div>
      )}
      <StopStack stop={stop} />
      {canChange && isOpen("values") ? <StopValues stop={stop} /> : null}
      {context !== undefined && isOpen("history") ? <StopHistory context={context} /> : null}
    </section>
  );
}

function VerbButton({ verb, command, icon }: (typeof VERBS)[number]) {
  const { runs } = useWorkspace();
  const keys = useKeys(command);
  const { label, hint } = TEXTS.verbs[verb];
  return (
    <Tooltip label={hint} keys={keys}>
      <Button
        kind={verb === "continue" ? "main" : undefined}
        data-testid={`go-${verb}`}
        onClick={() => void runs.debugger.go(verb)}
      >
        {icon} <span className={verb === "continue" ? "" : "@max-[900px]:sr-only"}>{label}</span>
      </Button>
    </Tooltip>
  );
}

/** Where the run stands, why, and what is held there. */
function Place({ stop }: { stop: StopView }) {
  const { nodeNames, canvas } = useWorkspace();
  const { at, cause, scope, values } = stop;
  const why = useRunHead((head) => (cause.kind === "breakpoint" ? placeOf(head.breakpoints, cause.id) : undefined));
  const held = Object.entries(values).map(([port, value]) => `${port}: ${contextIn(value) ?? oneLine(textOf(value))}`);
  return (
    <>
      {at ? (
        <button
          type="button"
          className="rounded-sm px-1 font-semibold text-bad -outline-offset-2 hover:underline"
          title={TEXTS.showOnCanvas(nodeNames.nameOf(at.node))}
          onClick={() => canvas.reveal({ node: at.node, center: true })}
        >
          {TEXTS.pausedSide[at.side](nodeNames.nameOf(at.node))}
        </button>
      ) : (
        <b className="px-1 font-semibold text-bad">{TEXTS.paused}</b>
      )}
      {at?.call ? <span className="text-fg-2"> · {at.call}</span> : null}
      {why ? <span className="text-fg-2"> · {placeWords(why, (id) => nodeNames.nameOf(id)).at}</span> : null}
      {cause.kind === "condition" ? (
        <span className="text-bad">
          {" "}
          · {TEXTS.conditionFailed} <InlineCode text={cause.error.message} />
        </span>
      ) : null}
      {cause.kind === "elsewhere" ? <span className="text-fg-2"> · {TEXTS.pausedElsewhere}</span> : null}
      {scope === "branch" ? <span className="text-fg-2"> · {TEXTS.pausedBranch}</span> : null}
      {held.length > 0 ? <span className="text-fg-2"> · {held.join(" · ").slice(0, MAX_SHOWN)}</span> : null}
    </>
  );
}

/** The breakpoint that was reached, if it says more than the side of a node. */
const placeOf = (breakpoints: readonly Breakpoint[] | undefined, id: string) =>
  breakpoints?.find((one) => one.id === id && (one.event || one.from || one.kind || one.port !== undefined));
