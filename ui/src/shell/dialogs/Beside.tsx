import type { DiffPiece } from "@/run/prompt/prompt-diff";
import { diffWords } from "@/run/prompt/prompt-diff";
import { TEXTS } from "@/shell/texts";
import { valueText } from "./value-text";

/** A value, or that there is none. */
type Side = { name: string; value?: unknown };

/** Two values of which neither replaces the other: the words that differ are marked in both. */
export function Beside({ left, right }: { left: Side; right: Side }) {
  const pieces =
    left.value === undefined || right.value === undefined
      ? undefined
      : diffWords(valueText(left.value), valueText(right.value));
  return (
    <div className="mt-1.5 grid grid-cols-2 gap-3 text-sm">
      <Column side={left} pieces={pieces?.filter(({ kind }) => kind !== "added")} />
      <Column side={right} pieces={pieces?.filter(({ kind }) => kind !== "removed")} />
    </div>
  );
}

function Column({ side: { name, value }, pieces }: { side: Side; pieces: readonly DiffPiece[] | undefined }) {
  return (
    <section className="min-w-0" aria-label={name}>
      <p className="text-fg-3 text-xs">{name}</p>
      {value === undefined ? (
        <p className="text-fg-3">{TEXTS.noValue}</p>
      ) : (
        <p className="max-h-[180px] overflow-y-auto whitespace-pre-wrap break-words">
          {pieces?.map(({ kind, text }, index) =>
            kind === "same" ? (
              text
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces do not change
              <mark key={index} className="rounded-sm bg-wait/20 text-fg">
                {text}
              </mark>
            ),
          ) ?? valueText(value)}
        </p>
      )}
    </section>
  );
}
