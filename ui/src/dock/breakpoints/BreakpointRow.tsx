import { Crosshair, X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "@/design/controls/Button";
import { BranchToggle, ConditionField, LogField } from "@/workspace/breakpoints/BreakpointFields";
import { useWorkspace } from "@/workspace/context";
import { useRunHead } from "@/workspace/run-hooks";
import type { ListedBreakpoint } from "./breakpoint-list";
import { TEXTS } from "./texts";

/** A breakpoint of the document: all of it can be changed here. */
export function BreakpointRow({ listed }: { listed: ListedBreakpoint }) {
  const { breakpoints } = useWorkspace();
  const { breakpoint, name } = listed;
  const { id, side, port, disabled = false } = breakpoint;
  const place = breakpoint.event ? name : TEXTS.place(name, side, port);
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
  const { id, node, side, port, event, from, path = [] } = listed.breakpoint;
  const isHere = useRunHead(({ stop }) => {
    if (path.length > 0 || stop?.at === undefined) return false;
    if (stop.cause.kind === "breakpoint" && stop.cause.id === id) return true;
    return (
      port === undefined && event === undefined && from === undefined && stop.at.node === node && stop.at.side === side
    );
  });
  return (
    <li
      className={`breakpoint-columns min-h-8 px-2.5 py-0.5 ${isHere ? "bg-bp/10" : "hover:bg-bg-3/50"}`}
      aria-current={isHere ? "step" : undefined}
      title={isHere ? TEXTS.pausedHere : undefined}
      data-testid={`breakpoint-${node}${port === undefined ? "" : `.${port}`}-${side}`}
    >
      {children}
    </li>
  );
}

function Bead({ isOn }: { isOn: boolean }) {
  return <i aria-hidden className={`size-2.5 rounded-full border-[1.75px] border-bp ${isOn ? "bg-bp" : ""}`} />;
}

/** The node, which a press shows on the canvas, and the side of it. */
function Place({ listed: { breakpoint, name, isGone } }: { listed: ListedBreakpoint }) {
  const { canvas } = useWorkspace();
  const first = breakpoint.path?.[0] ?? breakpoint.node;
  const side = (
    <span className="shrink-0 text-fg-3 text-xs">
      {breakpoint.event ? "" : TEXTS.at(breakpoint.side, breakpoint.port)}
    </span>
  );
  if (isGone) {
    return (
      <span className="flex min-w-0 items-baseline gap-2 px-1.5">
        <span className="truncate text-fg-2 line-through">{name}</span>
        {side}
        <span className="shrink-0 text-wait text-xs">{TEXTS.nodeGone}</span>
      </span>
    );
  }
  return (
    <button
      type="button"
      className="group flex h-7 min-w-0 items-baseline gap-2 rounded-md px-1.5 text-left leading-7 hover:bg-bg-3"
      title={TEXTS.showOnCanvas(name)}
      onClick={() => first !== undefined && canvas.reveal({ node: first })}
    >
      <span className="truncate">{name}</span>
      {side}
      <Crosshair size={12} className="shrink-0 self-center text-fg-3 opacity-0 group-hover:opacity-100" aria-hidden />
    </button>
  );
}
