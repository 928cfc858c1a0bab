import { Plus } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import type { BaseStatus } from "@/bindings";
import { Button, IconButton } from "@/design/controls/Button";
import { Empty } from "@/design/text/Empty";
import { InlineCode } from "@/design/text/InlineCode";
import { HostError } from "@/ipc";
import { useWorkspace } from "@/workspace/context";
import { AddBase } from "./AddBase";
import { POLL_INTERVAL_MS } from "./actions";
import { BaseCard } from "./BaseCard";
import { SearchBases } from "./SearchBases";
import { TEXTS } from "./texts";

/** The person's knowledge bases: add, index and search them. */
export function KnowledgePanel() {
  const { bases, error, load } = useBases();
  const [adding, setAdding] = useState(false);
  if (error) {
    return (
      <Empty title={TEXTS.couldntLoad}>
        <p>
          <InlineCode text={error.message} /> <InlineCode text={error.hint} />
        </p>
        <Button onClick={load}>{TEXTS.tryAgain}</Button>
      </Empty>
    );
  }
  if (!bases) return <Empty title={TEXTS.loading} />;
  const add = () => setAdding(true);
  return (
    <section className="flex h-full min-h-0 flex-col overflow-auto p-2.5" aria-label={TEXTS.knowledge}>
      <div className="mb-1.5 flex items-center gap-2">
        <h2 className="font-semibold text-sm">{TEXTS.bases}</h2>
        <span className="flex-1" />
        <IconButton label={TEXTS.addBase} data-testid="knowledge-add" icon={<Plus size={15} />} onClick={add} />
      </div>
      {adding ? <AddBase onDone={() => setAdding(false)} onChange={load} /> : null}
      {bases.length === 0 && !adding ? (
        <Empty title={TEXTS.noBases}>
          <p>{TEXTS.noBasesHelp}</p>
          <Button onClick={add}>
            <Plus size={14} aria-hidden /> {TEXTS.addBase}
          </Button>
        </Empty>
      ) : null}
      <ul className="flex flex-col gap-1.5" aria-label={TEXTS.bases} data-testid="knowledge-bases">
        {bases.map((base) => (
          <BaseCard key={base.name} base={base} onChange={load} />
        ))}
      </ul>
      {bases.length > 0 ? <SearchBases bases={bases.map((base) => base.name)} onDone={load} /> : null}
    </section>
  );
}

/** The list of the host, read again while something is indexed and whenever something was done. */
function useBases() {
  const { host } = useWorkspace();
  const [bases, setBases] = useState<readonly BaseStatus[]>();
  const [error, setError] = useState<HostError>();
  const load = useCallback(() => {
    host.call("knowledge.list", {}).then(
      (list) => {
        setBases(list);
        setError(undefined);
      },
      (thrown) => setError(HostError.from(thrown)),
    );
  }, [host]);
  useEffect(load, [load]);
  const busy = bases?.some((base) => base.state === "indexing") ?? false;
  useEffect(() => {
    if (!busy) return;
    const timer = setInterval(load, POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [busy, load]);
  return { bases, error, load };
}
