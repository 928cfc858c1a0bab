import type { DiffPiece, LineChange } from "@/run/prompt/prompt-diff";
import { TEXTS } from "./texts";

/** Whether a message is new or differs from the previous call. */
export function ChangeMark({ change }: { change: LineChange | undefined }) {
  if (!change) return null;
  return (
    <span className="shrink-0 rounded-[4px] border border-ok/50 px-1.5 font-semibold text-ok">
      {change.kind === "new" ? TEXTS.isNew : TEXTS.isChanged}
    </span>
  );
}

/** A text with the additions and removals since the previous call. */
export function ChangedText({ pieces }: { pieces: readonly DiffPiece[] }) {
  return (
    <p className="whitespace-pre-wrap break-words text-fg text-sm">
      {pieces.map((piece, index) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one comparison never change.
        if (piece.kind === "same") return <span key={index}>{piece.text}</span>;
        const Tag = piece.kind === "added" ? "ins" : "del";
        const look = piece.kind === "added" ? "bg-ok/15 no-underline" : "bg-bad/15 text-fg-2";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one comparison never change.
          <Tag key={index} className={`rounded-[2px] ${look}`}>
            {piece.text}
          </Tag>
        );
      })}
    </p>
  );
}
