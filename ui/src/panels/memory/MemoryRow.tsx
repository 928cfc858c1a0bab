import { Pencil } from "lucide-react";
import type { MemoryRecord } from "@/bindings";
import { IconButton } from "@/design/controls/Button";
import { useWorkspace } from "@/workspace/context";
import { dayText, sourceText } from "./memory";
import { TEXTS } from "./texts";

type Props = {
  memory: MemoryRecord;
  now: number;
  selected: boolean;
  onSelect: (selected: boolean) => void;
  onEdit: () => void;
};

/** One memory: its text, its origin, and its day. */
export function MemoryRow({ memory, now, selected, onSelect, onEdit }: Props) {
  const { runs } = useWorkspace();
  const { text, steps = [], at, editedAt, source } = memory;
  const run = source.run;
  return (
    <li
      className={`flex items-start gap-2 border-line border-b px-2 py-1.5 last:border-b-0 ${selected ? "bg-bg-3" : ""}`}
      data-testid="memory-row"
    >
      <input
        type="checkbox"
        className="mt-1 size-3.5 shrink-0 accent-[var(--color-accent-fill)]"
        aria-label={TEXTS.select(text)}
        checked={selected}
        onChange={(event) => onSelect(event.target.checked)}
      />
      <div className="min-w-0 flex-1">
        <p className="whitespace-pre-wrap break-words text-sm">{text}</p>
        {steps.length > 0 ? (
          <ol className="list-decimal pl-5 text-fg-2 text-xs">
            {steps.map((step, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: steps have no identity but their place
              <li key={place} className="break-words">
                {step}
              </li>
            ))}
          </ol>
        ) : null}
        <div className="flex items-baseline gap-2 text-fg-3 text-xs">
          <span className="min-w-0 flex-1 break-words">
            {run === undefined ? (
              sourceText(memory)
            ) : (
              <button
                type="button"
                className="text-left underline-offset-2 hover:text-fg hover:underline"
                title={TEXTS.openRun}
                onClick={() => void runs.open(run)}
              >
                {sourceText(memory)}
              </button>
            )}
          </span>
          <span className="shrink-0 tabular-nums">
            {editedAt === undefined ? dayText(at, now) : TEXTS.edited(dayText(editedAt, now))}
          </span>
        </div>
      </div>
      <IconButton label={TEXTS.edit(text)} className="!size-6" icon={<Pencil size={13} />} onClick={onEdit} />
    </li>
  );
}
