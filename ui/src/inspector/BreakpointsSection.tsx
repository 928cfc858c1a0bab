import { useStore } from "zustand";
import type { Breakpoint, NodeDescriptor, NodeId, Side } from "@/bindings";
import { Switch } from "@/design/controls/Switch";
import { nameOf } from "@/run/debug/breakpoints";
import { ConditionField, LogField } from "@/workspace/breakpoints/BreakpointFields";
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
  return (
    <section className="my-3" aria-label={TEXTS.debugging} data-testid="breakpoints">
      <p className="mb-1.5 font-medium text-sm">{TEXTS.debugging}</p>
      {sides.map((side) => (
        <SideRow
          key={side}
          nodeId={nodeId}
          side={side}
          set={all.find((one) => one.node === nodeId && one.side === side)}
        />
      ))}
    </section>
  );
}

function SideRow({ nodeId, side, set }: { nodeId: NodeId; side: Side; set: Breakpoint | undefined }) {
  const { breakpoints } = useWorkspace();
  const label = TEXTS.pauseSide[side];
  return (
    <div className="mb-1.5">
      <div className="flex items-center gap-2">
        <i
          aria-hidden
          className={`size-2.5 shrink-0 rounded-full border ${set ? "border-bp" : "border-line-2"} ${set && !set.disabled ? "bg-bp" : ""}`}
        />
        <span className="min-w-0 flex-1 truncate text-sm">{label}</span>
        <Switch
          label={label}
          checked={set !== undefined && !set.disabled}
          onChange={(on) =>
            on ? breakpoints.set(nodeId, side, { disabled: false }) : breakpoints.remove(nodeId, side)
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
