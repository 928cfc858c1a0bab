import { Library, RefreshCw, RotateCcw, Square, Trash2 } from "lucide-react";
import type { BaseStatus } from "@/bindings";
import { IconButton } from "@/design/controls/Button";
import { InlineCode } from "@/design/text/InlineCode";
import { formatCount } from "@/run/values/format";
import { useWorkspace } from "@/workspace/context";
import { reindex, removeBase, stopIndexing } from "./actions";
import { TEXTS } from "./texts";

const STATE_COLORS = { new: "text-fg-3", indexing: "text-context", ready: "text-ok", failed: "text-bad" } as const;

/** One knowledge base: its folders, its state, and its actions. */
export function BaseCard({ base, onChange }: { base: BaseStatus; onChange: () => void }) {
  const workspace = useWorkspace();
  const { name, paths, state, files, chunks, embeddings, embedded, fault } = base;
  const indexing = state === "indexing";
  return (
    <li className="rounded-lg border border-line bg-bg-2 p-2" data-testid={`knowledge-base-${name}`} data-state={state}>
      <div className="flex items-center gap-2">
        <Library size={14} className="shrink-0 text-data" aria-hidden />
        <b className="min-w-0 flex-1 truncate font-medium" title={name}>
          {name}
        </b>
        <span className={`text-xs ${STATE_COLORS[state]}`} data-testid="knowledge-state">
          {TEXTS.states[state]}
        </span>
      </div>
      <p className="truncate font-mono text-fg-3 text-xs" title={paths.join("\n")}>
        {paths.join(", ")}
      </p>
      {indexing ? <Progress base={base} /> : null}
      {state === "ready" || chunks > 0 ? (
        <p className="text-fg-2 text-xs tabular-nums">{TEXTS.size(formatCount(files), formatCount(chunks))}</p>
      ) : null}
      {embeddings ? (
        <p className="break-words text-fg-3 text-xs">
          {TEXTS.embeddedBy(`${embeddings.provider}/${embeddings.model}`, formatCount(embedded))}
        </p>
      ) : null}
      {fault && !indexing ? (
        <p className="break-words text-bad text-xs" role="status">
          <InlineCode text={fault.message} /> <InlineCode text={fault.hint} />
        </p>
      ) : null}
      <Skipped base={base} />
      <div className="mt-1 flex justify-end">
        {indexing ? (
          <IconButton
            label={TEXTS.stop}
            data-testid={`knowledge-stop-${name}`}
            icon={<Square size={13} />}
            onClick={() => void stopIndexing(workspace, name, onChange)}
          />
        ) : (
          <>
            <IconButton
              label={TEXTS.reindex}
              data-testid={`knowledge-index-${name}`}
              icon={<RefreshCw size={13} />}
              onClick={() => void reindex(workspace, name, false, onChange)}
            />
            <IconButton
              label={TEXTS.reindexAll}
              icon={<RotateCcw size={13} />}
              onClick={() => void reindex(workspace, name, true, onChange)}
            />
          </>
        )}
        <IconButton
          label={TEXTS.remove}
          data-testid={`knowledge-remove-${name}`}
          icon={<Trash2 size={13} />}
          onClick={() => void removeBase(workspace, name, onChange)}
        />
      </div>
    </li>
  );
}

function Progress({ base: { progress } }: { base: BaseStatus }) {
  const { done = 0, total } = progress ?? {};
  const label =
    total === undefined ? TEXTS.listing(formatCount(done)) : TEXTS.progress(formatCount(done), formatCount(total));
  return (
    <div className="my-1" data-testid="knowledge-progress">
      <p className="text-fg-2 text-xs tabular-nums">{label}</p>
      <progress
        className="h-1 w-full text-context"
        aria-label={label}
        max={Math.max(1, total ?? 1)}
        value={total === undefined ? undefined : done}
      />
    </div>
  );
}

function Skipped({ base: { skipped = [], skippedCount } }: { base: BaseStatus }) {
  if (skippedCount === 0) return null;
  return (
    <details className="text-xs" data-testid="knowledge-skipped">
      <summary className="cursor-pointer text-wait">{TEXTS.notSearched(formatCount(skippedCount))}</summary>
      <ul className="mt-1 flex flex-col gap-0.5">
        {skipped.map((file) => (
          <li key={file.source} className="break-words text-fg-3">
            <span className="font-mono text-fg-2">{file.source}</span> <InlineCode text={file.reason.message} />
          </li>
        ))}
      </ul>
      {skippedCount > skipped.length ? (
        <p className="text-fg-3">{TEXTS.moreFiles(formatCount(skippedCount - skipped.length))}</p>
      ) : null}
    </details>
  );
}
