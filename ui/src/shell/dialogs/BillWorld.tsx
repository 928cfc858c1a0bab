import type { WorldPolicy } from "@/bindings";
import { Select } from "@/design/controls/Select";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";

const MISSES = [
  { id: "live", label: TEXTS.missesLive },
  { id: "ask", label: TEXTS.missesAsk },
  { id: "fail", label: TEXTS.missesFail },
] as const;

type WorldProps = {
  world: WorldPolicy;
  /** What is live in the request, if not all is recorded. */
  ofNode: WorldPolicy["live"];
  /** The types of the nodes that asked outside. */
  types: readonly string[] | undefined;
  onChoose: (world: WorldPolicy) => void;
};

/** What the fork asks the world for. */
export function BillWorld({ world, ofNode = [], types = [], onChoose }: WorldProps) {
  const { nodeTypes } = useWorkspace();
  const { live = [], misses = "live" } = world;
  const sources = [
    { id: "recorded", label: TEXTS.worldRecorded, live: [] },
    ...(ofNode.length > 0 ? [{ id: "chosen", label: TEXTS.worldChosen, live: ofNode }] : []),
    ...types.map((type) => ({
      id: typeOption(type),
      label: TEXTS.worldLiveType(nodeTypes.all.byType.get(type)?.title ?? type),
      live: [{ type }],
    })),
    { id: "all", label: TEXTS.worldLive, live: ["all" as const] },
  ];
  return (
    <>
      <span className="text-fg-2" title={TEXTS.worldHint}>
        {TEXTS.world}
      </span>
      <Select
        label={TEXTS.world}
        testId="bill-world"
        options={sources}
        value={sourceOf(live)}
        onChange={(id) => onChoose({ misses, live: sources.find((source) => source.id === id)?.live ?? [] })}
      />
      <span className="text-fg-2">{TEXTS.misses}</span>
      <Select
        label={TEXTS.misses}
        testId="bill-misses"
        options={MISSES}
        value={misses}
        onChange={(next) => onChoose({ live, misses: next })}
      />
    </>
  );
}

const typeOption = (type: string) => `type:${type}`;

function sourceOf(live: NonNullable<WorldPolicy["live"]>): string {
  const [part] = live;
  if (part === undefined) return "recorded";
  if (part === "all") return "all";
  return "type" in part ? typeOption(part.type) : "chosen";
}
