import { Crosshair, X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "@/design/controls/Button";
import { isAt } from "@/run/debug/breakpoints";
import { BranchToggle, ConditionField, LogField } from "@/workspace/breakpoints/BreakpointFields";
import { useWorkspace } from "@/workspace/context";
import { useRunHead } from "@/workspace/run-hooks";
import type { ListedBreakpoint } from "./breakpoint-list";
import { TEXTS } from "./texts";

/** A breakpoint of the document: all of it can be changed here. */
export function BreakpointRow({ listed }: { listed: ListedBreakpoint }) {
  const { breakpoints } = useWorkspace();
  const { breakpoint, words } = listed;
  const { id, disabled = false } = breakpoint;
  const place = TEXTS.place(words.node, words.at);
  return (
    <Row listed={listed}>
      <button
        type="button"
        role="switch"
        aria-checked={!disabled}
        aria-label={TEXTS.enabled(place)}
        title={disabled ? TEXTS.enable : TEXTS.disable}
        className="flex size-6 shrink-0 items-center justify-center rounded-md hover:bg-bg-3"
        data-testid="breakpoint-enabled"
        onClick={() => breakpoints.change(id, { disabled: !disabled })}
      >
        <Bead isOn={!disabled} />
      </button>
      <Place listed={listed} />
      <ConditionField breakpoint={breakpoint} label={TEXTS.conditionOf(place)} placeholder={TEXTS.always} />
      <LogField breakpoint={breakpoint} label={TEXTS.logTextOf(place)} placeholder={TEXTS.pause(breakpoint.scope)} />
      <BranchToggle breakpoint={breakpoint} className="!size-7" />
      <IconButton
        label={TEXTS.remove(place)}
        icon={<X size={14} aria-hidden />}
        className="!size-7"
        onClick={() => breakpoints.drop(id)}
      />
    </Row>
  );
}

/** A breakpoint of a run that is looked at, as it is. */
export function RunBreakpointRow({ listed }: { listed: ListedBreakpoint }) {
  const { disabled = false, when, log, scope } = listed.breakpoint;
  return (
    <Row listed={listed}>
      <span className="flex size-6 items-center justify-center">
        <Bead isOn={!disabled} />
      </span>
      <Place listed={listed} />
      <code className="truncate px-2 text-xs" title={when}>
        {when ?? <span className="text-fg-3">{TEXTS.always}</span>}
      </code>
      <code className="truncate px-2 text-xs" title={log}>
        {log ?? <span className="text-fg-3">{TEXTS.pause(scope)}</span>}
      </code>
    </Row>
  );
}

function Row({ listed, children }: { listed: ListedBreakpoint; children: ReactNode }) {
  const { breakpoint } = listed;
  const { id, node, side, port, path = [] } = breakpoint;
  const isHere = useRunHead(({ stops = [] }) =>
    stops.some(({ at, cause }) => {
      if (path.length > 0 || at === undefined) return false;
      if (cause.kind === "breakpoint" && cause.id === id) return true;
      return isAt(breakpoint, at.node, at.side);
    }),
  );
  const isPlain = node !== undefined && isAt(breakpoint, node, side, port);
  return (
    <li
      className={`breakpoint-columns min-h-8 px-2.5 py-0.5 ${isHere ? "bg-bp/10" : "hover:bg-bg-3/50"}`}
      aria-current={isHere ? "step" : undefined}
      title={isHere ? TEXTS.pausedHere : undefined}
      data-testid={`breakpoint-${isPlain ? `${node}${port === undefined ? "" : `.${port}`}-${side}` : id}`}
    >
      {children}
    </li>
  );
}

function Bead({ isOn }: { isOn: boolean }) {
  return <i aria-hidden className={`size-2.5 rounded-full border-[1.75px] border-bp ${isOn ? "bg-bp" : ""}`} />;
}

/** The node, which a press shows on the canvas, and what of it. */
function Place({ listed: { breakpoint, words, isGone } }: { listed: ListedBreakpoint }) {
  const { canvas, editor } = useWorkspace();
  const first = breakpoint.path?.[0] ?? breakpoint.node;
  const at = (
    <span className="min-w-0 shrink-[2] truncate text-fg-3 text-xs" title={words.at}>
      {words.at}
    </span>
  );
  if (isGone) {
    const isNodeThere = first !== undefined && first in editor.state.flow.nodes;
    return (
      <span className="flex min-w-0 items-baseline gap-2 px-1.5">
        <span className="truncate text-fg-2 line-through">{words.node}</span>
        {at}
        <span className="shrink-0 text-wait text-xs">{isNodeThere ? TEXTS.edgeGone : TEXTS.nodeGone}</span>
      </span>
    );
  }
  if (first === undefined) {
    return (
      <span className="flex min-w-0 items-baseline gap-2 px-1.5">
        <span className="shrink-0 text-fg-2">{words.node}</span>
        {at}
      </span>
    );
  }
  return (
    <button
      type="button"
      className="group flex h-7 min-w-0 items-baseline gap-2 rounded-md px-1.5 text-left leading-7 hover:bg-bg-3"
      title={TEXTS.showOnCanvas(words.node)}
      onClick={() => canvas.reveal({ node: first })}
    >
      <span className="truncate">{words.node}</span>
      {at}
      <Crosshair size={12} className="shrink-0 self-center text-fg-3 opacity-0 group-hover:opacity-100" aria-hidden />
    </button>
  );
}
