import { CloudOff, LoaderCircle, Server } from "lucide-react";
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import type { ListedHost } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { Dialog, DialogButtons, DialogText, DialogTitle } from "@/design/dialogs/Dialog";
import { notify } from "@/design/dialogs/notify";
import { plain } from "@/design/markdown/plain-text";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { windowText } from "@/design/text/window-text";
import { HostError } from "@/ipc";
import { useOverlays, useWorkspace } from "@/workspace/context";
import type { HostAnswer } from "@/workspace/hosts/host-list";
import { HostForm } from "./HostForm";
import { TEXTS } from "./texts";

/** The hosts that this machine works with: how each answers, its window, and what adds, changes and removes one. */
export function HostsDialog() {
  const { overlays } = useWorkspace();
  const open = useOverlays((state) => state.hosts);
  const hide = () => overlays.showHosts(false);
  return (
    <Dialog open={open} onClose={hide} testId="hosts-dialog" className="flex max-h-[86vh] w-[620px] flex-col p-5">
      <DialogTitle>{TEXTS.hosts}</DialogTitle>
      <DialogText className="mt-1 mb-3 text-fg-2 text-sm">{TEXTS.hostsExplained}</DialogText>
      {open ? <Content onDone={hide} /> : null}
    </Dialog>
  );
}

/** Which host the form is about: a new one, or one of the list. */
type Form = { host?: ListedHost };

function Content({ onDone }: { onDone: () => void }) {
  const { hostList } = useWorkspace();
  const { list, error, answers } = useStore(hostList.store);
  const [form, setForm] = useState<Form>();
  useEffect(() => void hostList.load(), [hostList]);
  if (form) return <HostForm host={form.host} onDone={() => setForm(undefined)} />;
  return (
    <>
      <div className="mb-4 min-h-0 flex-1 overflow-y-auto">
        {error ? <ErrorMessage error={error} className="text-sm" /> : null}
        {list?.length === 0 ? <p className="text-fg-2 text-sm">{TEXTS.noHosts}</p> : null}
        <ul className="flex flex-col gap-2" data-testid="hosts">
          {list?.map((host) => (
            <Row
              key={host.name}
              host={host}
              answer={answers[host.name] ?? {}}
              onChange={() => setForm({ host })}
              onDone={onDone}
            />
          ))}
        </ul>
      </div>
      <DialogButtons
        actions={[{ id: "add", label: TEXTS.addHost, kind: "main", testId: "host-add", run: () => setForm({}) }]}
        cancelLabel={TEXTS.close}
        onCancel={onDone}
      />
    </>
  );
}

type RowProps = { host: ListedHost; answer: HostAnswer; onChange: () => void; onDone: () => void };

function Row({ host: { name, url }, answer, onChange, onDone }: RowProps) {
  const { host, hostList, questions } = useWorkspace();
  const open = () => {
    onDone();
    host.newWindow({ host: name }).catch(notify.error);
  };
  const remove = async () => {
    const choice = await questions.ask({
      title: TEXTS.removeTitle(name),
      text: TEXTS.removeText,
      actions: [{ id: "remove", label: TEXTS.remove, kind: "danger" }],
    });
    if (choice === "remove") await hostList.remove(name).catch((thrown) => notify.error(HostError.from(thrown)));
  };
  return (
    <li className="rounded-lg border border-line px-3 py-2" data-testid={`host-${name}`}>
      <div className="flex items-center gap-2">
        <Sign answer={answer} />
        <span className="min-w-0 flex-1">
          <b className="block truncate font-semibold">{name}</b>
          <span className="block truncate text-fg-3 text-xs" title={url}>
            {url}
          </span>
        </span>
        <Button kind="quiet" aria-label={TEXTS.removeHost(name)} onClick={() => void remove()}>
          {TEXTS.remove}
        </Button>
        <Button kind="quiet" aria-label={TEXTS.changeHost(name)} onClick={onChange}>
          {TEXTS.change}
        </Button>
        <Button aria-label={TEXTS.openWindowOf(name)} data-testid={`host-open-${name}`} onClick={open}>
          {TEXTS.openWindow}
        </Button>
      </div>
      <Answer answer={answer} />
    </li>
  );
}

function Sign({ answer: { info, error } }: { answer: HostAnswer }) {
  if (error) return <CloudOff size={16} className="shrink-0 text-bad" aria-hidden />;
  if (info) return <Server size={16} className="shrink-0 text-ok" aria-hidden />;
  return <LoaderCircle size={16} className="shrink-0 animate-spin text-fg-3" aria-hidden />;
}

function Answer({ answer: { info, error } }: { answer: HostAnswer }) {
  const text = error
    ? plain(windowText(`${error.message} ${error.hint ?? ""}`))
    : info
      ? `${TEXTS.as(info)} · ${TEXTS.version(info.version)}`
      : TEXTS.asks;
  return (
    <p className={`mt-1 ml-6 break-words text-xs ${error ? "text-bad" : "text-fg-2"}`} role="status">
      {text}
    </p>
  );
}
