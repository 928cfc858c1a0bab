import { useStore } from "zustand";
import type { Breakpoint, NodeDescriptor, NodeId, PortName, Side } from "@/bindings";
import { Select } from "@/design/controls/Select";
import { Switch } from "@/design/controls/Switch";
import { isAt } from "@/run/debug/breakpoints";
import { nameOf } from "@/run/debug/kept-by-flow";
import { BranchToggle, ConditionField, LogField } from "@/workspace/breakpoints/BreakpointFields";
import { useFlow, useWorkspace } from "@/workspace/context";
import { EarlierRuns } from "./EarlierRuns";
import { TEXTS } from "./texts";

const NONE: readonly Breakpoint[] = [];

/** As far in as the text beside the bead. */
const FIELD = "mt-1 ml-[18px] w-[calc(100%-18px)]";

/** Where runs of the document pause at a node. A flow inside of a node has no breakpoints of its own here. */
export function BreakpointsSection({ nodeId, type }: { nodeId: NodeId; type: NodeDescriptor | undefined }) {
  const { breakpoints } = useWorkspace();
  const name = useFlow((state) => (state.outer === undefined ? nameOf(state) : undefined));
  const all = useStore(breakpoints.store, (state) => (name === undefined ? NONE : (state[name] ?? NONE)));
  if (name === undefined) return null;
  const sides: Side[] = type?.category === "models" ? ["before", "call", "after"] : ["before", "after"];
  const own = all.filter((one) => isAt(one, nodeId, one.side, one.port));
  return (
    <section className="my-3" aria-label={TEXTS.debugging} data-testid="breakpoints">
      <p className="mb-1.5 font-medium text-sm">{TEXTS.debugging}</p>
      {sides.map((side) => (
        <PlaceRow
          key={side}
          nodeId={nodeId}
          side={side}
          set={own.find((one) => one.side === side && one.port === undefined)}
        />
      ))}
      {own.map((one) =>
        one.port === undefined ? null : (
          <PlaceRow key={one.id} nodeId={nodeId} side={one.side} port={one.port} set={one} />
        ),
      )}
      <PortChoice nodeId={nodeId} isLoop={type?.ports.innerInputs !== undefined} own={own} />
    </section>
  );
}

type ChoiceProps = { nodeId: NodeId; isLoop: boolean; own: readonly Breakpoint[] };

/** Sets a breakpoint at one of the ports that have none. */
function PortChoice({ nodeId, isLoop, own }: ChoiceProps) {
  const { breakpoints } = useWorkspace();
  const ports = useFlow((state) => state.checked.ports[nodeId]);
  // A loop has no start of its own: its first iteration begins.
  const inputs = isLoop ? [] : (ports?.inputs ?? []);
  const places = [
    ...inputs.map(({ name }) => ({ side: "before" as const, port: name })),
    ...(ports?.outputs ?? []).map(({ name }) => ({ side: "after" as const, port: name })),
  ];
  const free = places.filter(({ side, port }) => own.every((one) => one.side !== side || one.port !== port));
  if (free.length === 0) return null;
  const options = free.map(({ side, port }) => ({ id: `${side}:${port}`, label: TEXTS.pausePort(side, port) }));
  return (
    <Select
      label={TEXTS.pauseAtPort}
      testId="pause-at-port"
      className="ml-[18px] w-[calc(100%-18px)]"
      options={[{ id: "", label: TEXTS.pauseAtPort }, ...options]}
      value=""
      onChange={(id) => {
        const place = free.find(({ side, port }) => id === `${side}:${port}`);
        if (place) breakpoints.set(nodeId, place.side, {}, place.port);
      }}
    />
  );
}

type PlaceProps = { nodeId: NodeId; side: Side; port?: PortName; set: Breakpoint | undefined };

/** A side of the node, or a port that has a breakpoint. */
function PlaceRow({ nodeId, side, port, set }: PlaceProps) {
  const { breakpoints } = useWorkspace();
  const label = port === undefined ? TEXTS.pauseSide[side] : TEXTS.pausePort(side, port);
  return (
    <div className="mb-1.5">
      <div className="flex items-center gap-2">
        <i
          aria-hidden
          className={`size-2.5 shrink-0 rounded-full border ${set ? "border-bp" : "border-line-2"} ${set && !set.disabled ? "bg-bp" : ""}`}
        />
        <span className="min-w-0 flex-1 truncate text-sm">{label}</span>
        {set ? <BranchToggle breakpoint={set} className="!size-6" /> : null}
        <Switch
          label={label}
          checked={set !== undefined && !set.disabled}
          onChange={(on) =>
            on ? breakpoints.set(nodeId, side, { disabled: false }, port) : breakpoints.remove(nodeId, side, port)
          }
        />
      </div>
      {set ? (
        <>
          <ConditionField breakpoint={set} className={FIELD} />
          <LogField breakpoint={set} className={FIELD} />
          <EarlierRuns breakpoint={set} />
        </>
      ) : null}
    </div>
  );
}
