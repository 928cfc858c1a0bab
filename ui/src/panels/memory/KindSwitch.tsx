import type { MemoryKind } from "@/bindings";
import { MEMORY_KINDS } from "@/bindings/constants";
import { formatCount } from "@/run/values/format";
import { TEXTS } from "./texts";

type Props = {
  kind: MemoryKind;
  counts: Partial<Record<MemoryKind, number>>;
  onChange: (kind: MemoryKind) => void;
};

/** Which kind of memories is shown, with how many there are of each. */
export function KindSwitch({ kind, counts, onChange }: Props) {
  return (
    <fieldset className="my-2 flex overflow-hidden rounded-md border border-line" aria-label={TEXTS.kind}>
      {MEMORY_KINDS.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === kind}
          data-testid={`memory-kind-${one}`}
          className={`flex-auto border-line border-r px-1 py-0.5 text-xs leading-tight last:border-r-0 ${
            one === kind ? "bg-accent-fill font-semibold text-on-accent" : "bg-bg-2 text-fg-2 hover:bg-bg-3"
          }`}
          onClick={() => onChange(one)}
        >
          <span className="block">{TEXTS.kinds[one]}</span>{" "}
          <span className="block tabular-nums">{formatCount(counts[one] ?? 0)}</span>
        </button>
      ))}
    </fieldset>
  );
}
