import { useCallback, useEffect } from "react";
import { Empty } from "@/design/text/Empty";
import { useWorkspace } from "@/workspace/context";
import { LoadError, useLoaded } from "../Loaded";
import { AddServers } from "./AddServers";
import { ServerCard } from "./ServerCard";
import { TEXTS } from "./texts";

/** How often the state of the servers is asked for while the panel is open. */
const REFRESH_INTERVAL_MS = 2_000;

/** The MCP servers of the person: adding, connecting, their tools, and accepting changes. */
export function McpPanel() {
  const { host } = useWorkspace();
  const { value: servers, error, load } = useLoaded(useCallback(() => host.call("mcp.list", {}), [host]));
  useEffect(() => {
    void load();
    const timer = setInterval(() => void load(), REFRESH_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [load]);
  return (
    <div className="h-full overflow-y-auto p-3" data-testid="mcp-panel">
      <h2 className="mb-1 font-semibold">{TEXTS.servers}</h2>
      <p className="mb-3 text-fg-2 text-xs">{TEXTS.intro}</p>
      {error ? (
        <LoadError title={TEXTS.couldntLoad} error={error} tryAgain={TEXTS.tryAgain} onTryAgain={() => void load()} />
      ) : servers === undefined ? (
        <Empty title={TEXTS.loading} />
      ) : servers.length === 0 ? (
        <Empty title={TEXTS.none}>
          <p>{TEXTS.noneHelp}</p>
        </Empty>
      ) : (
        <ul aria-label={TEXTS.servers}>
          {servers.map((server) => (
            <ServerCard key={server.name} server={server} onChanged={load} />
          ))}
        </ul>
      )}
      <AddServers onAdded={load} />
    </div>
  );
}
