import { useEffect, useState } from "react";
import { notify } from "@/design/dialogs/notify";
import { type KnownFlows, readKnownFlows } from "@/flow/search/known-flows";
import { HostError } from "@/ipc";
import { useWorkspace } from "@/workspace/context";

const NONE: KnownFlows = { flows: [], read: 0, total: 0, unreadable: 0 };

/** All known flows, read once they are `wanted` and until the component is gone; `isReading` until all are there. */
export function useKnownFlows(wanted: boolean): KnownFlows & { isReading: boolean } {
  const { host, documents } = useWorkspace();
  const [known, setKnown] = useState(NONE);
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!wanted) return;
    const abort = new AbortController();
    const { signal } = abort;
    readKnownFlows(host, { documents: documents.all, signal, onProgress: setKnown })
      .catch((thrown) => {
        if (!signal.aborted) notify.error(HostError.from(thrown));
      })
      .finally(() => {
        if (!signal.aborted) setDone(true);
      });
    return () => abort.abort();
  }, [host, documents, wanted]);
  return { ...known, isReading: wanted && !isDone };
}
