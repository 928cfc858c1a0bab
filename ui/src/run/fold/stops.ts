/** Which stops of a run nobody has left. The same rules as `apply_to_stops` of the engine; shared vectors check both. */
import type { Entry, StopView } from "@/bindings";
import { sameEpoch } from "./epoch";
import type { RunHead } from "./types";

type Stops = readonly StopView[];
type StopEntry = Extract<Entry, { type: "debug.stopped" | "debug.continued" | "value.overridden" | "value.rerouted" }>;

/** The stop of the whole tree. While there is one, no time passes. */
export function wholeStop(stops: Stops | undefined): StopView | undefined {
  return stops?.find(isWhole);
}

/** The stops after an event of the debugger. The newest one comes last. */
export function stopsAfter(stops: Stops, entry: StopEntry): Stops {
  switch (entry.type) {
    case "debug.stopped": {
      const { cause, scope, point, values = {}, ways, error, at } = entry;
      const held = { ...(scope && { scope }), ...(point && { at: point }), values, ...(ways && { ways }) };
      const stop: StopView = { number: entry.seq ?? 0, cause, ...held, ...(error && { error }), since: at };
      // Of what is held, the latest word counts: a branch that was paused under way has come to its place.
      return [...stops.filter((other) => !holdSame(stop, other)), stop];
    }
    case "debug.continued": {
      const { stop, verb } = entry;
      if (stop === undefined) return [];
      const isStep = verb !== "continue";
      return stops.filter((one) => one.number !== stop && !(isStep && isWhole(one)));
    }
    case "value.overridden":
      return stops.map((stop) =>
        isAtPlace(stop, entry) ? { ...stop, values: { ...stop.values, [entry.port]: entry.value } } : stop,
      );
    case "value.rerouted": {
      const { from, to, values } = entry;
      const swap = (ways: StopView["ways"]) => ways?.map((way) => (way === to ? from : way));
      return stops.map((stop) =>
        isAtPlace(stop, entry) ? { ...stop, values, ...(stop.ways && { ways: swap(stop.ways) }) } : stop,
      );
    }
  }
}

/** Has the head of a run take in an event of the debugger. Returns the time that was stopped until then, if a stop of the tree is over. */
export function applyToStops(head: RunHead, entry: StopEntry): number {
  const before = wholeStop(head.stops);
  const stops = stopsAfter(head.stops ?? [], entry);
  head.stops = stops.length > 0 ? [...stops] : undefined;
  const isOver = before !== undefined && wholeStop(head.stops)?.number !== before.number;
  return isOver ? Math.max(0, entry.at - before.since) : 0;
}

const isWhole = (stop: StopView) => stop.scope !== "branch";

/** Whether two stops hold the same: the whole tree, one activation, or a branch of one child run. */
function holdSame(one: StopView, other: StopView): boolean {
  if (isWhole(one) || isWhole(other)) return isWhole(one) === isWhole(other);
  if (one.at && other.at) return one.at.node === other.at.node && sameEpoch(one.at.epoch, other.at.epoch);
  return !one.at && !other.at && elsewhere(one) === elsewhere(other);
}

const elsewhere = ({ cause }: StopView) => (cause.kind === "elsewhere" ? cause.run : undefined);

function isAtPlace({ at }: StopView, { point }: Extract<StopEntry, { point: unknown; port?: unknown }>): boolean {
  if (!at || !point) return false;
  const { node, epoch, attempt, side, call } = point;
  return (
    at.node === node && sameEpoch(at.epoch, epoch) && at.attempt === attempt && at.side === side && at.call === call
  );
}
