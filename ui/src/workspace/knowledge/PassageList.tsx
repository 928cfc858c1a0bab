import { useState } from "react";
import type { LeftOutChunk, Retrieval } from "@/bindings";
import { InlineCode } from "@/design/text/InlineCode";
import { formatCount } from "@/run/values/format";
import { oneLine, shorten } from "@/run/values/preview";
import type { Passage } from "./passage";
import { SourceDialog } from "./SourceDialog";
import { TEXTS } from "./texts";

type Found = Pick<Retrieval, "used" | "leftOut" | "notices">;

const PREVIEW_LENGTH = 200;

/** The passages that were found: the used ones with their text, then the others with the reason. A click opens the source. */
export function PassageList({ retrieval: { used, leftOut = [], notices = [] } }: { retrieval: Found }) {
  const [open, setOpen] = useState<Passage>();
  const best = Math.max(...[...used, ...leftOut].map((one) => one.score), Number.MIN_VALUE);
  return (
    <div data-testid="passages">
      {notices.map((notice) => (
        <p key={notice.code} className="mb-1 break-words text-wait text-xs" role="status">
          <InlineCode text={notice.message} />
        </p>
      ))}
      <ol className="flex flex-col gap-1">
        {used.map((chunk, index) => (
          <Row key={keyOf(chunk)} passage={chunk} best={best} number={index + 1} onOpen={() => setOpen(chunk)}>
            <span className="text-sm">{shorten(oneLine(chunk.text), PREVIEW_LENGTH)}</span>
          </Row>
        ))}
      </ol>
      {leftOut.length > 0 ? (
        <>
          <h3 className="mt-2 mb-1 font-semibold text-fg-3 text-xs">{TEXTS.leftOut}</h3>
          <ul className="flex flex-col gap-1">
            {leftOut.map((chunk) => (
              <Row key={keyOf(chunk)} passage={chunk} best={best} onOpen={() => setOpen(chunk)}>
                <span className="text-wait text-xs">{reasonOf(chunk)}</span>
              </Row>
            ))}
          </ul>
        </>
      ) : null}
      {open ? <SourceDialog passage={open} onClose={() => setOpen(undefined)} /> : null}
    </div>
  );
}

function Row({
  passage,
  best,
  number,
  onOpen,
  children,
}: {
  passage: Passage;
  best: number;
  number?: number;
  onOpen: () => void;
  children: React.ReactNode;
}) {
  const { source, line, score, matched, tokens, base } = passage;
  const shown = score.toFixed(score < 0.1 ? 4 : 2);
  return (
    <li>
      <button
        type="button"
        className="flex w-full gap-2.5 rounded-md border border-line bg-bg-2 p-2 text-left hover:bg-bg-3"
        title={TEXTS.openSource(source)}
        data-testid="passage"
        onClick={onOpen}
      >
        <span className="w-11 shrink-0 font-mono text-xs tabular-nums" title={TEXTS.matched[matched]}>
          <span className="sr-only">{TEXTS.score(shown)}</span>
          <span aria-hidden>{shown}</span>
          <i aria-hidden className="mt-1 block h-1 rounded bg-bg-3">
            <i className="block h-1 rounded bg-data" style={{ width: `${Math.max(4, (100 * score) / best)}%` }} />
          </i>
        </span>
        <span className="min-w-0 flex-1">
          {number === undefined ? null : <span className="text-fg-3 text-xs">[{number}] </span>}
          {children}
          <span className="block break-words font-mono text-fg-3 text-xs" title={`${base}: ${source}`}>
            {source}, {TEXTS.line(line)} · {TEXTS.tokens(formatCount(tokens))}
          </span>
        </span>
      </button>
    </li>
  );
}

function keyOf({ base, source, offset }: Passage): string {
  return `${base}/${source}/${offset}`;
}

function reasonOf({ reason, tokens }: LeftOutChunk): string {
  return reason.kind === "cap" ? TEXTS.cap(formatCount(tokens), formatCount(reason.room)) : TEXTS.duplicate(reason.of);
}
