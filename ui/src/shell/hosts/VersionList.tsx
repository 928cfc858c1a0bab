import { useEffect, useState } from "react";
import type { PublishedVersion } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { notify } from "@/design/dialogs/notify";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { formatDate } from "@/run/values/format";
import { useMay, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

type Props = {
  host: string;
  /** The name under which the flow is published. */
  name: string;
  /** The version that is served. */
  served: number;
  /** Another version is served now. */
  onChanged: () => void;
};

/** The versions of a published flow, the newest first, each of which can be served again. */
export function VersionList({ host: target, name, served, onChanged }: Props) {
  const { host } = useWorkspace();
  const [versions, setVersions] = useState<readonly PublishedVersion[]>();
  const [problem, setProblem] = useState<HostError>();
  const [busy, setBusy] = useState(false);
  const mayRollBack = useMay("published.rollBack");
  useEffect(() => {
    const found = host.on(target).call("published.versions", { name });
    found.then(setVersions, (thrown) => setProblem(HostError.from(thrown)));
  }, [host, target, name]);
  const rollBack = async (version: number) => {
    setBusy(true);
    try {
      await host.on(target).call("published.rollBack", { name, version });
      notify.done(TEXTS.rolledBack(name, version));
      onChanged();
    } catch (thrown) {
      notify.error(HostError.from(thrown));
    }
    setBusy(false);
  };
  if (problem) return <ErrorMessage error={problem} className="text-sm" />;
  if (!versions) return <p className="text-fg-2 text-sm">{TEXTS.loading}</p>;
  return (
    <ul className="flex flex-col" aria-label={TEXTS.versionsOf(name)} data-testid="published-versions">
      {[...versions].reverse().map(({ version, by, at }) => (
        <li key={version} className="flex h-[34px] items-center gap-2 text-sm">
          <span className="min-w-0 flex-1 truncate">{TEXTS.versionLine(version, by, formatDate(Date.parse(at)))}</span>
          {version === served ? (
            <span className="px-2.5 text-ok text-xs">{TEXTS.served}</span>
          ) : (
            <Button
              kind="quiet"
              aria-label={TEXTS.rollBackTo(version)}
              disabled={busy || !mayRollBack}
              onClick={() => void rollBack(version)}
            >
              {TEXTS.rollBack}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
