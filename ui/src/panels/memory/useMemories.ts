/** The current user's memories as the host has them, read again when the user, the search or the kind changes. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { MemoryKind, MemoryPage } from "@/bindings";
import { HostError } from "@/ipc";
import { useUsers, useWorkspace } from "@/workspace/context";

/** How long typing must rest before the host searches. */
const SEARCH_DELAY_MS = 150;

export function useMemories(kind: MemoryKind, search: string, limit: number) {
  const { host } = useWorkspace();
  const user = useUsers((users) => users.current);
  const [page, setPage] = useState<MemoryPage>();
  const [error, setError] = useState<HostError>();
  const latest = useRef(0);
  const load = useCallback(async () => {
    const request = ++latest.current;
    try {
      const found = await host.call("memories.list", {
        user: user || undefined,
        kinds: [kind],
        search: search.trim() || undefined,
        limit,
      });
      // Ignores the late reply to an earlier request.
      if (request !== latest.current) return;
      setPage(found);
      setError(undefined);
    } catch (thrown) {
      if (request === latest.current) setError(HostError.from(thrown));
    }
  }, [host, user, kind, search, limit]);
  useEffect(() => {
    const timer = setTimeout(() => void load(), search === "" ? 0 : SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [load, search]);
  return { page, error, load };
}
