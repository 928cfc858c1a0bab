import type { FreshFrom } from "@/bindings";
import { Select } from "@/design/controls/Select";
import { TEXTS } from "@/shell/texts";

const CHOICES = [
  { id: "again", label: TEXTS.followsAgain },
  { id: "alone", label: TEXTS.followsReused },
] as const;

type FreshProps = { fresh: FreshFrom; onChoose: (fresh: FreshFrom) => void };

/** Whether what follows from a node that is done again is done again as well. */
export function BillFresh({ fresh, onChoose }: FreshProps) {
  return (
    <>
      <span className="text-fg-2">{TEXTS.follows}</span>
      <Select
        label={TEXTS.follows}
        testId="bill-follows"
        options={CHOICES}
        value={fresh.alone ? "alone" : "again"}
        onChange={(id) => onChoose({ ...fresh, alone: id === "alone" })}
      />
    </>
  );
}
