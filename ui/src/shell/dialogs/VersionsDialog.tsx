import { useEffect, useState } from "react";
import type { FlowVersion } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { Dialog, DialogButtons, DialogTitle } from "@/design/dialogs/Dialog";
import { notify } from "@/design/dialogs/notify";
import { documentFlow } from "@/flow/document/flow-state";
import { HostError } from "@/ipc";
import { formatDate } from "@/run/values/format";
import { TEXTS } from "@/shell/texts";
import { useFlow, useOverlays, useWorkspace } from "@/workspace/context";
import { describeChanges } from "./version-changes";

/** The versions of the shown flow that its runs have kept: to look at, and to restore. */
export function VersionsDialog() {
  const { overlays } = useWorkspace();
  const open = useOverlays((state) => state.versions);
  const hide = () => overlays.showVersions(false);
  return (
    <Dialog open={open} onClose={hide} testId="versions-dialog" className="w-[700px] p-5">
      <DialogTitle className="mb-2 font-semibold text-lg">{TEXTS.versions}</DialogTitle>
      {open ? <Versions onDone={hide} /> : null}
      <DialogButtons actions={[]} cancelLabel={TEXTS.close} onCancel={hide} />
    </Dialog>
  );
}

/** A version with what restoring it changes; empty if nothing. */
type DescribedVersion = FlowVersion & { changes: string };

function Versions({ onDone }: { onDone: () => void }) {
  const { host, editor, runs, canvasComparison } = useWorkspace();
  const path = useFlow((state) => state.path);
  const current = useFlow(documentFlow);
  const [versions, setVersions] = useState<readonly DescribedVersion[]>();
  useEffect(() => {
    if (path === undefined) return setVersions([]);
    const describe = async (version: FlowVersion) => {
      const diff = await host.call("flow.diff", { before: current, after: version.flow });
      return { ...version, changes: describeChanges(diff, current, version.flow) };
    };
    const found = host.call("flow.versions", { path }).then((all) => Promise.all(all.map(describe)));
    found.then(setVersions, (thrown) => notify.error(HostError.from(thrown)));
  }, [host, path, current]);
  if (!versions) return <p className="mb-4 text-fg-2">{TEXTS.opening}</p>;
  if (versions.length === 0) return <p className="mb-4 text-fg-2">{TEXTS.noVersions}</p>;
  const restore = ({ flow }: FlowVersion) => {
    editor.leaveView();
    editor.closeInner(0);
    editor.edit(TEXTS.restoreVersion, () => flow);
    onDone();
  };
  const compare = ({ flow }: FlowVersion, title: string) => {
    editor.leaveView();
    editor.closeInner(0);
    onDone();
    void canvasComparison.showFlow({ title, other: flow, otherIs: "before" });
  };
  return (
    <ul className="mb-4 flex max-h-[50vh] flex-col gap-2 overflow-y-auto">
      {versions.map((version) => {
        const [latest] = version.runs;
        const { changes } = version;
        return (
          <li key={version.hash} className="flex items-center gap-2 rounded-lg border border-line px-3 py-2">
            <span className="min-w-0 flex-1">
              <span className="flex items-baseline gap-2">
                <b className="truncate font-semibold">
                  {latest ? formatDate(latest.startedAt) : version.hash.slice(0, 8)}
                </b>
                <span className="shrink-0 text-fg-3 text-xs">{TEXTS.runCount(version.runs.length)}</span>
              </span>
              <span className="line-clamp-2 text-fg-2 text-xs" title={changes}>
                {changes || TEXTS.sameAsNow}
              </span>
            </span>
            {latest ? (
              <Button
                onClick={() => {
                  onDone();
                  void runs.open(latest.run);
                }}
              >
                {TEXTS.viewVersion}
              </Button>
            ) : null}
            <Button
              disabled={changes === "" || changes === TEXTS.otherLayout}
              data-testid="version-compare"
              onClick={() =>
                compare(version, TEXTS.sinceVersion(latest ? formatDate(latest.startedAt) : version.hash.slice(0, 8)))
              }
            >
              {TEXTS.compareVersion}
            </Button>
            <Button disabled={changes === ""} onClick={() => restore(version)}>
              {TEXTS.restoreVersion}
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
