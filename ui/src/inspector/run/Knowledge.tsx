import type { LeftOutChunk, Retrieval, RetrievedChunk } from "@/bindings";
import type { EpochView } from "@/run/fold/types";
import { formatCount } from "@/run/values/format";
import { PassageList } from "@/workspace/knowledge/PassageList";
import { Section } from "./Section";
import { TEXTS } from "./texts";

type Found = Pick<Retrieval, "used" | "leftOut">;

/** What knowledge bases held for this activation: which passages were used, which were left out, and why. */
export function Knowledge({ view }: { view: EpochView }) {
  const found = view.retrieval ?? outputsOf(view);
  if (!found) return null;
  const { used, leftOut = [] } = found;
  return (
    <div data-testid="retrieved">
      <Section title={TEXTS.knowledge} trailing={TEXTS.passages(formatCount(used.length), formatCount(leftOut.length))}>
        {/* The activation shows the notices. */}
        <PassageList retrieval={{ used, leftOut }} />
      </Section>
    </div>
  );
}

/** The outputs of a `retrieve` node: its journal holds them, and nothing else. */
function outputsOf({ outputs }: EpochView): Found | undefined {
  const { chunks, leftOut } = outputs as { chunks?: unknown; leftOut?: unknown };
  if (!isList(chunks, "text") || !isList(leftOut, "reason")) return undefined;
  return { used: chunks as RetrievedChunk[], leftOut: leftOut as LeftOutChunk[] };
}

function isList(value: unknown, key: string): boolean {
  const isPassage = (one: unknown) =>
    typeof one === "object" && one !== null && "source" in one && "score" in one && "tokens" in one && key in one;
  return Array.isArray(value) && value.every(isPassage);
}
