import type { TextPiece } from "@/bindings";
import { valueText } from "./value-text";

type ChangeProps = {
  name: string;
  change: { before?: unknown; after?: unknown; words?: TextPiece[] };
};

/** A value before and after: by words where it is a text. */
export function Change({ name, change: { before, after, words } }: ChangeProps) {
  const pieces: TextPiece[] = words ?? [
    ...(before === undefined ? [] : [{ side: "before", text: valueText(before) } as const]),
    ...(after === undefined ? [] : [{ side: "after", text: valueText(after) } as const]),
  ];
  return (
    <div className="mt-1 flex gap-3 text-sm">
      <span className="w-[120px] shrink-0 truncate text-fg-3" title={name}>
        {name}
      </span>
      <span className="max-h-[140px] min-w-0 flex-1 overflow-y-auto whitespace-pre-wrap break-words">
        {pieces.map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces do not change
          <Piece key={index} piece={piece} isFirst={index === 0} isLast={index === pieces.length - 1} />
        ))}
      </span>
    </div>
  );
}

/** How much of what is the same is shown on each side of what differs, in characters. */
const CONTEXT = 60;

function Piece({ piece: { side, text }, isFirst, isLast }: { piece: TextPiece; isFirst: boolean; isLast: boolean }) {
  if (side === "before") return <del className="rounded-sm bg-bad/15 text-bad">{text}</del>;
  if (side === "after") return <ins className="rounded-sm bg-ok/15 text-ok no-underline">{text}</ins>;
  const ends = (isFirst ? 0 : 1) + (isLast ? 0 : 1);
  if (text.length <= ends * CONTEXT + 3) return text;
  return `${isFirst ? "" : text.slice(0, CONTEXT)}…${isLast ? "" : text.slice(-CONTEXT)}`;
}
