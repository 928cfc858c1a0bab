import { CircleAlert } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { useStore } from "zustand";
import type { Diagnostic, PublicationPreview } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { Select } from "@/design/controls/Select";
import { Dialog, DialogText, DialogTitle } from "@/design/dialogs/Dialog";
import { notify } from "@/design/dialogs/notify";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { InlineCode } from "@/design/text/InlineCode";
import { documentFlow, isDirty } from "@/flow/document/flow-state";
import { HostError } from "@/ipc";
import { describeChanges } from "@/shell/dialogs/version-changes";
import { TEXTS as SHELL_TEXTS } from "@/shell/texts";
import { useFlow, useOverlays, useWorkspace } from "@/workspace/context";
import { Field } from "./HostForm";
import { TEXTS } from "./texts";
import { VersionList } from "./VersionList";

/** How long a person types before the host is asked about the name. */
const TYPING_MS = 300;

/** Publishes the shown flow: what differs from what is served, what the host lacks for it, and the versions there. */
export function PublishDialog() {
  const { overlays } = useWorkspace();
  const open = useOverlays((state) => state.published === "publish");
  const hide = () => overlays.showPublished(undefined);
  return (
    <Dialog open={open} onClose={hide} testId="publish-dialog" className="flex max-h-[86vh] w-[620px] flex-col p-5">
      <DialogTitle>{TEXTS.publishTitle}</DialogTitle>
      <DialogText className="mt-1 mb-3 text-fg-2 text-sm">{TEXTS.publishExplained}</DialogText>
      {open ? <ForHost onDone={hide} /> : null}
    </Dialog>
  );
}

/** The host is that of the window, or is chosen. */
function ForHost({ onDone }: { onDone: () => void }) {
  const { remote, hostList, overlays } = useWorkspace();
  const { list, error } = useStore(hostList.store);
  const [chosen, setChosen] = useState<string>();
  useEffect(() => {
    if (!remote) void hostList.load();
  }, [remote, hostList]);
  const host = remote?.name ?? chosen ?? list?.[0]?.name;
  if (error) return <ErrorMessage error={error} className="text-sm" />;
  if (host === undefined) {
    return (
      <div className="flex flex-col items-start gap-3">
        <p className="text-fg-2 text-sm">{list ? TEXTS.noHosts : TEXTS.loading}</p>
        <Button
          onClick={() => {
            onDone();
            overlays.showHosts(true);
          }}
        >
          {TEXTS.addHostFirst}
        </Button>
      </div>
    );
  }
  return (
    <>
      {remote || !list ? null : (
        <div className="mb-2.5">
          <p className="mb-0.5 text-fg-2 text-xs">{TEXTS.host}</p>
          <Select
            label={TEXTS.host}
            testId="publish-host"
            className="h-[30px] w-full"
            options={list.map(({ name, url }) => ({ id: name, label: `${name} – ${url}` }))}
            value={host}
            onChange={setChosen}
          />
        </div>
      )}
      <Publication key={host} host={host} onDone={onDone} />
    </>
  );
}

type Preview = PublicationPreview & { changes: string; problems: readonly Diagnostic[] };

function Publication({ host: target, onDone }: { host: string; onDone: () => void }) {
  const workspace = useWorkspace();
  const { host, remote, files, editor, canvasComparison } = workspace;
  const path = useFlow((state) => state.path);
  const flow = useFlow(documentFlow);
  const dirty = useFlow(isDirty);
  // Until something is typed, the name that the flow would get.
  const [typed, setTyped] = useState<string>();
  const [preview, setPreview] = useState<Preview>();
  const [problem, setProblem] = useState<HostError>();
  const [busy, setBusy] = useState(false);
  // How often something was published from here: the preview and the versions are read again then.
  const [round, setRound] = useState(0);
  const isOnHost = remote !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was published changes what is served.
  useEffect(() => {
    let gone = false;
    const read = async () => {
      const read = await host.call("hosts.preview", { host: target, name: typed, flow, path, isOnHost });
      const { diagnostics } = await host.on(target).call("flow.check", { flow: read.flow });
      const changes =
        read.served && read.difference ? describeChanges(read.difference, read.served.flow, read.flow) : "";
      if (gone) return;
      setPreview({ ...read, changes, problems: diagnostics });
      setProblem(undefined);
    };
    const timer = setTimeout(
      () =>
        read().catch((thrown) => {
          if (gone) return;
          setProblem(HostError.from(thrown));
          setPreview(undefined);
        }),
      typed === undefined ? 0 : TYPING_MS,
    );
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [host, target, typed, flow, path, isOnHost, round]);
  const name = typed ?? preview?.name;
  // What is shown about another name says nothing of this one.
  const isCurrent = preview !== undefined && preview.name === name;
  const publish = async (event: FormEvent) => {
    event.preventDefault();
    if (!name || !isCurrent || busy) return;
    setBusy(true);
    try {
      if (isOnHost && (path === undefined || dirty) && !(await files.save())) return setBusy(false);
      const { path: file, ...state } = editor.state;
      const version = isOnHost
        ? await host.call("published.publish", { name, path: file ?? "" })
        : await host.call("hosts.publish", { host: target, name, flow: documentFlow(state), path: file });
      notify.done(TEXTS.published(name, version.version, target));
      setRound((done) => done + 1);
      setProblem(undefined);
    } catch (thrown) {
      setProblem(HostError.from(thrown));
    }
    setBusy(false);
  };
  const cannotRun = preview?.problems.some(({ severity }) => severity === "error") ?? false;
  const compare = () => {
    if (!preview?.served) return;
    const title = TEXTS.sinceServed(preview.name, preview.served.version);
    editor.leaveView();
    editor.closeInner(0);
    onDone();
    void canvasComparison.showFlow({ title, other: preview.served.flow, otherIs: "before" });
  };
  return (
    <form onSubmit={publish} className="flex min-h-0 flex-1 flex-col gap-3">
      <Field label={TEXTS.publishedName} help={TEXTS.publishedNameHelp}>
        {(props) => (
          <input
            {...props}
            className={CONTROL}
            autoComplete="off"
            spellCheck={false}
            data-testid="publish-name"
            value={name ?? ""}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </Field>
      {problem ? <ErrorMessage error={problem} className="text-sm" /> : null}
      {preview ? <Difference preview={preview} onCompare={compare} /> : problem ? null : <p>{TEXTS.loading}</p>}
      {preview && preview.problems.length > 0 ? <Problems of={preview.problems} /> : null}
      {isOnHost && dirty ? <p className="text-wait text-xs">{TEXTS.saveFirst}</p> : null}
      {preview?.served ? (
        <div className="min-h-0 flex-1 overflow-y-auto">
          <h3 className="mb-1 font-semibold text-2xs text-fg-3 uppercase tracking-[0.05em]">{TEXTS.versions}</h3>
          <VersionList
            key={`${preview.name} ${round}`}
            host={target}
            name={preview.name}
            served={preview.served.version}
            onChanged={() => setRound((done) => done + 1)}
          />
        </div>
      ) : null}
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{SHELL_TEXTS.close}</Button>
        <Button
          type="submit"
          kind="main"
          disabled={busy || !name || !isCurrent || cannotRun}
          data-testid="publish-submit"
        >
          {TEXTS.publish}
        </Button>
      </div>
    </form>
  );
}

function Difference({ preview: { served, changes }, onCompare }: { preview: Preview; onCompare: () => void }) {
  if (!served) return <p className="text-fg-2 text-sm">{TEXTS.isNew}</p>;
  const { version } = served;
  const isEqual = changes === "" || changes === SHELL_TEXTS.otherLayout;
  const words = changes === "" ? TEXTS.sameAsServed : isEqual ? TEXTS.otherLayoutThan : TEXTS.changesSince;
  return (
    <div className="flex items-start gap-3 text-sm" data-testid="publish-difference">
      <p className="min-w-0 flex-1 break-words text-fg-2">
        {words(version)} {isEqual ? null : <b className="font-medium text-fg">{changes}</b>}
      </p>
      {isEqual ? null : (
        <Button data-testid="publish-compare" onClick={onCompare}>
          {TEXTS.compareOnCanvas}
        </Button>
      )}
    </div>
  );
}

/** How many problems are listed. */
const MAX_PROBLEMS = 6;

function Problems({ of }: { of: readonly Diagnostic[] }) {
  return (
    <div className="text-sm" data-testid="publish-problems">
      <p className="mb-1 text-fg-2">{TEXTS.lacks}</p>
      <ul className="flex flex-col gap-1">
        {of.slice(0, MAX_PROBLEMS).map(({ severity, message, code, node }) => (
          <li key={`${code} ${node} ${message}`} className="flex gap-1.5">
            <CircleAlert
              size={14}
              className={`mt-0.5 shrink-0 ${severity === "error" ? "text-bad" : "text-wait"}`}
              aria-hidden
            />
            <span className="min-w-0 break-words">
              <InlineCode text={message} />
            </span>
          </li>
        ))}
      </ul>
      {of.length > MAX_PROBLEMS ? (
        <p className="mt-1 text-fg-3">{TEXTS.moreProblems(of.length - MAX_PROBLEMS)}</p>
      ) : null}
    </div>
  );
}
