/** The values on a node's inputs, followed back to the outputs they came from. */
import type { Epoch, NodeId, PortName, SourceRef } from "@/bindings";
import { epochOf } from "../fold/epoch";
import type { EpochView, NodeView, RunHead } from "../fold/types";
import { outputsOf } from "./outputs";

export type InputValue = {
  /** Where it came from; absent for a value set when the run started. */
  source?: SourceRef;
  /** Whether the value is known. It is not while its source's events have not come. */
  known: boolean;
  value: unknown;
};

export type Input = { port: PortName; values: InputValue[] };

type Known = { nodes: ReadonlyMap<NodeId, NodeView>; head: RunHead };

/** Every fed input of an activation, by port, in the order of their names. */
export function inputsOf(run: Known, node: NodeId, view: EpochView): Input[] {
  const fed: Input[] = Object.entries(view.inputs).map(([port, sources]) => ({
    port,
    values: (sources ?? []).map((source) => sourceValue(run, source)),
  }));
  for (const [port, value] of Object.entries(run.head.set[node] ?? {})) {
    if (!fed.some((input) => input.port === port)) fed.push({ port, values: [{ known: true, value }] });
  }
  return fed.sort((a, b) => (a.port < b.port ? -1 : a.port > b.port ? 1 : 0));
}

/** What left by that output of that activation. */
function sourceValue(run: Known, source: SourceRef): InputValue {
  const view = epochOf(run.nodes.get(source.node), source.epoch);
  const outputs = view && outputsOf(source.node, view);
  if (outputs && Object.hasOwn(outputs, source.port)) return { source, known: true, value: outputs[source.port] };
  return { source, ...(borderValue(run, source) ?? { known: false, value: undefined }) };
}

/** Ports at the border of a loop. No event has their values: the loop makes them. */
const BORDER = { index: "index", item: "item", previous: "previous", items: "items" } as const;

/** What the border of a loop gives to its body in the iteration that the source names. */
function borderValue(run: Known, { node, epoch, port }: SourceRef): Pick<InputValue, "known" | "value"> | undefined {
  const set = run.head.set[node];
  const index = epoch.at(-1);
  const execution = epochOf(run.nodes.get(node), epoch.slice(0, -1));
  if (index !== undefined && execution) {
    if (port === BORDER.index) return { known: true, value: index };
    if (port === BORDER.item) {
      const [items] =
        inputsOf(run, node, execution)
          .find((input) => input.port === BORDER.items)
          ?.values.slice(-1) ?? [];
      return Array.isArray(items?.value) ? { known: true, value: items.value[index] } : undefined;
    }
    // The iteration before had no result.
    if (port === BORDER.previous) return { known: true, value: null };
  }
  // What the loop was given when the run started.
  return set && Object.hasOwn(set, port) ? { known: true, value: set[port] } : undefined;
}

/** The values that one edge brought to an activation, of those on its input. */
export function valuesFrom(run: Known, view: EpochView, input: PortName, from: NodeId): InputValue[] {
  const sources = (view.inputs[input] ?? []).filter(({ node }) => node === from);
  return sources.map((source) => sourceValue(run, source)).filter(({ known }) => known);
}

/** The context of an activation: of its turn or its writes, or else of its `context` input. */
export function contextOf(run: Known, node: NodeId, epoch: Epoch): string | undefined {
  const view = epochOf(run.nodes.get(node), epoch);
  if (!view) return undefined;
  const own = view.turn?.contextId ?? view.contexts.at(-1);
  if (own !== undefined) return own;
  for (const source of view.inputs.context ?? []) {
    const { value } = sourceValue(run, source);
    const id = (value as { contextId?: unknown } | null | undefined)?.contextId;
    if (typeof id === "string") return id;
  }
  const out = (view.outputs.context as { contextId?: unknown } | null | undefined)?.contextId;
  return typeof out === "string" ? out : undefined;
}
