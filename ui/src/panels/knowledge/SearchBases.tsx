import { type FormEvent, useState } from "react";
import type { Retrieval } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { SearchField } from "@/design/controls/SearchField";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { useWorkspace } from "@/workspace/context";
import { PassageList } from "@/workspace/knowledge/PassageList";
import { TEXTS } from "./texts";

/** Shows the passages that a node would find for a query, in all bases. */
export function SearchBases({ bases, onDone }: { bases: readonly string[]; onDone: () => void }) {
  const { host } = useWorkspace();
  const [query, setQuery] = useState("");
  const [found, setFound] = useState<Retrieval>();
  const [error, setError] = useState<HostError>();
  const [busy, setBusy] = useState(false);
  const search = async (event: FormEvent) => {
    event.preventDefault();
    if (query.trim() === "") return;
    setBusy(true);
    try {
      setFound(await host.call("knowledge.search", { query, bases: [...bases] }));
      setError(undefined);
    } catch (thrown) {
      setError(HostError.from(thrown));
    } finally {
      setBusy(false);
      onDone();
    }
  };
  return (
    <div className="mt-4">
      <form className="mb-2 flex gap-1.5" onSubmit={search}>
        <SearchField label={TEXTS.tryQuery} testId="knowledge-query" value={query} onChange={setQuery} />
        <Button type="submit" data-testid="knowledge-search" disabled={busy || query.trim() === ""}>
          {busy ? TEXTS.searching : TEXTS.search}
        </Button>
      </form>
      {error ? (
        <ErrorMessage error={error} className="text-xs" />
      ) : found ? (
        found.used.length + (found.leftOut?.length ?? 0) === 0 ? (
          <p className="text-fg-3 text-xs" role="status">
            {TEXTS.nothingFits}. {TEXTS.nothingFitsHelp}
          </p>
        ) : (
          <PassageList retrieval={found} />
        )
      ) : null}
    </div>
  );
}
