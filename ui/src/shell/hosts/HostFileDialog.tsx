import { FileText } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import type { HostFile } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { Dialog, DialogText, DialogTitle } from "@/design/dialogs/Dialog";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { formatDate } from "@/run/values/format";
import { useWorkspace } from "@/workspace/context";
import type { FileRequest } from "@/workspace/hosts/host-files";
import { Field } from "./HostForm";
import { TEXTS } from "./texts";

/** Chooses a file in the folder of the window's host: one to open, or a name to save under. */
export function HostFileDialog() {
  const { fileRequests, remote } = useWorkspace();
  const { request, settle } = useStore(fileRequests.store);
  const field = useRef<HTMLInputElement>(null);
  const title = request?.kind === "save" ? TEXTS.saveTitle : (request?.title ?? TEXTS.openTitle);
  return (
    <Dialog
      open={request !== undefined}
      onClose={() => settle()}
      testId="host-files"
      initialFocus={field}
      className="flex max-h-[80vh] w-[560px] flex-col p-5"
    >
      <DialogTitle>{title}</DialogTitle>
      <DialogText className="mt-1 mb-3 text-fg-2 text-sm">{TEXTS.filesOf(remote?.name ?? "")}</DialogText>
      {request ? <Choice request={request} field={field} settle={settle} /> : null}
    </Dialog>
  );
}

type ChoiceProps = {
  request: FileRequest;
  field: React.RefObject<HTMLInputElement | null>;
  settle: (path?: string) => void;
};

function Choice({ request, field, settle }: ChoiceProps) {
  const { host } = useWorkspace();
  const isSave = request.kind === "save";
  const [files, setFiles] = useState<readonly HostFile[]>();
  const [problem, setProblem] = useState<HostError>();
  const [name, setName] = useState(isSave ? request.suggested : "");
  useEffect(() => {
    host.call("host.files", {}).then(setFiles, (thrown) => setProblem(HostError.from(thrown)));
  }, [host]);
  const words = isSave ? "" : name.trim().toLowerCase();
  const shown = files?.filter(({ path }) => path.toLowerCase().includes(words)) ?? [];
  const saved = isSave ? withEnding(name.trim(), request.suggested) : undefined;
  const replaces = files?.some(({ path }) => path === saved);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const typed = name.trim();
    const [only] = shown;
    if (typed === "") return;
    if (isSave) settle(withEnding(typed, request.suggested));
    else settle(only === undefined || files?.some(({ path }) => path === typed) ? typed : only.path);
  };
  return (
    <form onSubmit={submit} className="flex min-h-0 flex-1 flex-col gap-3">
      <Field label={TEXTS.file} help={TEXTS.fileHelp}>
        {(props) => (
          <input
            {...props}
            ref={field}
            className={CONTROL}
            autoComplete="off"
            spellCheck={false}
            data-testid="host-file-name"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      {problem ? <ErrorMessage error={problem} className="text-sm" /> : null}
      {!files && !problem ? <p className="text-fg-2 text-sm">{TEXTS.loading}</p> : null}
      {files?.length === 0 ? <p className="text-fg-2 text-sm">{TEXTS.noFiles}</p> : null}
      <ul className="min-h-0 flex-1 overflow-y-auto" aria-label={TEXTS.file}>
        {shown.map(({ path, modifiedAt }) => (
          <li key={path}>
            <button
              type="button"
              className="list-row"
              data-testid={`host-file-${path}`}
              onClick={() => (isSave ? setName(path) : settle(path))}
            >
              <FileText size={15} aria-hidden />
              <span className="min-w-0 flex-1 truncate">{path}</span>
              <span className="shrink-0 text-fg-3 text-xs">{formatDate(modifiedAt)}</span>
            </button>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center justify-end gap-2">
        {replaces ? (
          <p className="mr-auto text-wait text-xs" role="status">
            {TEXTS.replaces}
          </p>
        ) : null}
        <Button onClick={() => settle()}>{TEXTS.cancel}</Button>
        <Button type="submit" kind="main" disabled={name.trim() === ""} data-testid="host-file-choose">
          {isSave ? TEXTS.save : TEXTS.open}
        </Button>
      </div>
    </form>
  );
}

/** A name without an ending gets that of the suggested one, as in the dialogs of the system. */
function withEnding(name: string, suggested: string): string {
  const fileOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const dot = fileOf(suggested).indexOf(".");
  return fileOf(name).includes(".") || dot < 0 ? name : name + fileOf(suggested).slice(dot);
}
