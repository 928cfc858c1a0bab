import { ChevronRight, Play } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import type { PublishedFlow } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { Dialog, DialogButtons, DialogText, DialogTitle } from "@/design/dialogs/Dialog";
import { notify } from "@/design/dialogs/notify";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { formatDate } from "@/run/values/format";
import { useMay, useOverlays, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";
import { VersionList } from "./VersionList";

/** The flows that the window's host serves: run one, its versions, roll back, unpublish. */
export function PublishedDialog() {
  const { overlays, remote } = useWorkspace();
  const open = useOverlays((state) => state.published === "list");
  const hide = () => overlays.showPublished(undefined);
  return (
    <Dialog open={open} onClose={hide} testId="published-dialog" className="flex max-h-[86vh] w-[660px] flex-col p-5">
      <DialogTitle>{TEXTS.publishedFlows}</DialogTitle>
      <DialogText className="mt-1 mb-3 text-fg-2 text-sm">{TEXTS.publishedExplained(remote?.name ?? "")}</DialogText>
      {open && remote ? <Flows host={remote.name} onDone={hide} /> : null}
      <DialogButtons actions={[]} cancelLabel={TEXTS.close} onCancel={hide} />
    </Dialog>
  );
}

function Flows({ host: target, onDone }: { host: string; onDone: () => void }) {
  const { host } = useWorkspace();
  const [flows, setFlows] = useState<readonly PublishedFlow[]>();
  const [problem, setProblem] = useState<HostError>();
  const load = useCallback(() => {
    host.call("published.list", {}).then(
      (found) => {
        setFlows(found);
        setProblem(undefined);
      },
      (thrown) => setProblem(HostError.from(thrown)),
    );
  }, [host]);
  useEffect(load, [load]);
  return (
    <div className="mb-4 min-h-0 flex-1 overflow-y-auto">
      {problem ? <ErrorMessage error={problem} className="text-sm" /> : null}
      {!flows && !problem ? <p className="text-fg-2 text-sm">{TEXTS.loading}</p> : null}
      {flows?.length === 0 ? <p className="text-fg-2 text-sm">{TEXTS.nothingPublished}</p> : null}
      <ul className="flex flex-col gap-2">
        {flows?.map((flow) => (
          <Row key={flow.name} host={target} flow={flow} onChanged={load} onDone={onDone} />
        ))}
      </ul>
    </div>
  );
}

type RowProps = { host: string; flow: PublishedFlow; onChanged: () => void; onDone: () => void };

function Row({ host: target, flow, onChanged, onDone }: RowProps) {
  const { host, questions } = useWorkspace();
  const [unfolded, setUnfolded] = useState(false);
  const mayRemove = useMay("published.remove");
  const { name, title, version, by, at, schedule } = flow;
  const unpublish = async () => {
    const choice = await questions.ask({
      title: TEXTS.unpublishTitle(name),
      text: TEXTS.unpublishText,
      actions: [{ id: "unpublish", label: TEXTS.unpublish, kind: "danger" }],
    });
    if (choice !== "unpublish") return;
    await host.call("published.remove", { name }).then(onChanged, notify.error);
  };
  return (
    <li className="rounded-lg border border-line px-3 py-2" data-testid={`published-${name}`}>
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <b className="truncate font-semibold">{name}</b>
            {title && title !== name ? <span className="truncate text-fg-2 text-sm">{title}</span> : null}
          </span>
          <span className="block truncate text-fg-3 text-xs">
            {TEXTS.versionLine(version, by, formatDate(Date.parse(at)))}
          </span>
          {schedule ? (
            <span className="block truncate text-fg-3 text-xs">{TEXTS.begins(schedule.cron, schedule.timezone)}</span>
          ) : null}
        </span>
        <Button
          kind="quiet"
          aria-label={TEXTS.unpublishFlow(name)}
          disabled={!mayRemove}
          onClick={() => void unpublish()}
        >
          {TEXTS.unpublish}
        </Button>
        <Button
          kind="quiet"
          aria-label={TEXTS.versionsOf(name)}
          aria-expanded={unfolded}
          onClick={() => setUnfolded(!unfolded)}
        >
          <ChevronRight size={13} className={unfolded ? "rotate-90" : ""} aria-hidden />
          {TEXTS.versions}
        </Button>
      </div>
      <RunForm host={target} flow={flow} onDone={onDone} />
      {unfolded ? (
        <div className="mt-1 border-line border-t pt-1">
          <VersionList key={version} host={target} name={name} served={version} onChanged={onChanged} />
        </div>
      ) : null}
    </li>
  );
}

/** Begins a run and shows it. */
function RunForm({ host: target, flow, onDone }: { host: string; flow: PublishedFlow; onDone: () => void }) {
  const { host, runs, runList } = useWorkspace();
  const mayRun = useMay("run.answer");
  const [input, setInput] = useState("");
  const [busy, setBusy] = useState(false);
  const { name, takesInput } = flow;
  const run = async () => {
    setBusy(true);
    try {
      const begun = await host.call("hosts.run", { host: target, name, input: takesInput ? input : undefined });
      onDone();
      runList.refresh();
      await runs.open(begun.run);
    } catch (thrown) {
      notify.error(HostError.from(thrown));
      setBusy(false);
    }
  };
  return (
    <form
      className="mt-1.5 flex items-center gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      {takesInput ? (
        <input
          className={`${CONTROL} h-[30px] min-w-0 flex-1`}
          aria-label={`${TEXTS.input} – ${name}`}
          placeholder={TEXTS.input}
          value={input}
          disabled={!mayRun}
          onChange={(event) => setInput(event.target.value)}
        />
      ) : null}
      <Button
        type="submit"
        aria-label={TEXTS.runFlow(name)}
        disabled={busy || !mayRun}
        data-testid={`published-run-${name}`}
      >
        <Play size={13} aria-hidden />
        {TEXTS.run}
      </Button>
    </form>
  );
}
