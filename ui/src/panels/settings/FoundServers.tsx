import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { Button } from "@/design/controls/Button";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { useProviders, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** Model servers that run on this machine and that no provider leads to yet; and searching for them again. */
export function FoundServers() {
  const workspace = useWorkspace();
  const { found, searching } = useProviders((providers) => providers);
  const [problem, setProblem] = useState<HostError>();
  const unassigned = found.filter((server) => server.providers.length === 0);
  const add = (name: string, settings: (typeof found)[number]["settings"]) => {
    workspace.providers
      .put(name, settings)
      .then(() => workspace.providers.findServers())
      .catch((thrown) => setProblem(HostError.from(thrown)));
  };
  return (
    <div className="mb-2">
      {unassigned.map((server) => (
        <div key={server.settings.baseUrl} className="mb-1.5 rounded-lg border border-line-2 border-dashed p-2">
          <p className="text-sm">{TEXTS.isRunning(server.software)}</p>
          <p className="mb-1.5 break-all text-fg-3 text-xs">{server.settings.baseUrl}</p>
          <Button
            aria-label={TEXTS.addAtAs(server.software, server.settings.baseUrl ?? "", server.suggestedName)}
            onClick={() => add(server.suggestedName, server.settings)}
          >
            {TEXTS.addAs(server.suggestedName)}
          </Button>
        </div>
      ))}
      <div className="flex items-center justify-between gap-2">
        <p className="text-fg-3 text-xs" role="status">
          {searching ? TEXTS.searchingLocalServers : summary(found.length)}
        </p>
        <Button
          kind="quiet"
          className="h-6 px-1.5 text-xs"
          disabled={searching}
          aria-label={TEXTS.searchLocalServersAgain}
          onClick={() => workspace.providers.findServers()}
        >
          <RefreshCw size={12} aria-hidden /> {TEXTS.refresh}
        </Button>
      </div>
      {problem ? <ErrorMessage className="mt-1.5 text-xs" error={problem} /> : null}
    </div>
  );
}

function summary(count: number): string {
  if (count === 0) return "No local servers found";
  return count === 1 ? "1 local server found" : `${count} local servers found`;
}
