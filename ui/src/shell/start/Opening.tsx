/** What the window shows while the host reads a large data directory, before there is anything else to show. */
import { InlineCode } from "@/design/text/InlineCode";
import type { HostError, OpeningProgress } from "@/ipc";
import { TEXTS } from "@/shell/texts";

type Props = { progress?: OpeningProgress; error?: HostError };

export function Opening({ progress, error }: Props) {
  return (
    <main className="flex h-full flex-col items-center justify-center gap-3 p-6 text-center" data-testid="opening">
      <img src="./icon.svg" alt={TEXTS.plait} width={48} height={48} />
      {error ? <Refused error={error} /> : <Reading progress={progress} />}
    </main>
  );
}

function Reading({ progress }: Pick<Props, "progress">) {
  const known = progress !== undefined && progress.total > 0;
  return (
    <>
      <h1 className="font-semibold text-lg">{known ? TEXTS.rebuildingRunList : TEXTS.opening}</h1>
      {known ? (
        <>
          <progress
            className="h-1.5 w-72 text-accent"
            aria-label={TEXTS.rebuildingRunList}
            value={progress.done}
            max={progress.total}
          />
          <p className="font-mono text-fg-2 text-xs tabular-nums" role="status">
            {TEXTS.journalsRead(progress.done, progress.total)}
          </p>
          <p className="max-w-[420px] text-fg-2 text-sm">{TEXTS.rebuildingExplained}</p>
        </>
      ) : null}
    </>
  );
}

function Refused({ error }: { error: HostError }) {
  return (
    <div role="alert">
      <h1 className="font-semibold text-lg">{TEXTS.couldntOpen}</h1>
      <p className="mt-1 max-w-[420px] text-fg-2 text-sm">
        <InlineCode text={error.message} /> <InlineCode text={error.hint} />
      </p>
    </div>
  );
}
