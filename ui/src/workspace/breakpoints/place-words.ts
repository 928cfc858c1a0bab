/** Where a breakpoint is, in words. */
import type { Breakpoint, PortKind, StopEvent } from "@/bindings";
import { formatCost } from "@/run/values/format";
import { TEXTS } from "./texts";

export type PlaceWords = {
  /** Its node, with the way to it. */
  node: string;
  /** What of the node, or what has to happen there. */
  at: string;
};

export function placeWords(breakpoint: Breakpoint, nameOf: (id: string) => string): PlaceWords {
  const { path = [], node, side, port, from, kind, event } = breakpoint;
  const [above, ...inside] = path;
  // The nodes of a sub-flow are not those of this flow.
  const last = node === undefined ? TEXTS.anyNode : above === undefined ? nameOf(node) : node;
  const way = above === undefined ? last : [nameOf(above), ...inside, last].join(" › ");
  return { node: way, at: partWords() };

  function partWords(): string {
    if (event) return eventWords(event);
    if (from) return TEXTS.fromOutput(path.length > 0 ? from.node : nameOf(from.node), from.port, port ?? "");
    if (kind) return kindWords(kind, side);
    return TEXTS.at(side, port);
  }
}

export const kindWords = (kind: PortKind, side: Breakpoint["side"]) =>
  side === "before" ? TEXTS.kindIn[kind] : TEXTS.kindOut[kind];

function eventWords(event: StopEvent): string {
  switch (event.type) {
    case "contextChanged":
      return event.context === undefined ? TEXTS.events.contextChanged : TEXTS.thisContextChanged(event.context);
    case "spendingPassed":
      return TEXTS.spendingPassed(formatCost({ nanoUsd: event.nanoUsd }));
    default:
      return TEXTS.events[event.type];
  }
}
