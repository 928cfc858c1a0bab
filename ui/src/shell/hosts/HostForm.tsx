import { type FormEvent, type ReactNode, useId, useState } from "react";
import type { ListedHost } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

type Props = {
  /** The host that gets another address or token. Without one, a host is added. */
  host?: ListedHost | undefined;
  onDone: () => void;
};

/** The address of a host and the token for it. A token is never shown again. */
export function HostForm({ host, onDone }: Props) {
  const { hostList } = useWorkspace();
  const [name, setName] = useState(host?.name ?? "");
  const [url, setUrl] = useState(host?.url ?? "");
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<HostError>();
  const isComplete = [name, url, token].every((text) => text.trim() !== "");
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!isComplete || busy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await hostList.add(name.trim(), url.trim(), token);
      onDone();
    } catch (thrown) {
      setProblem(HostError.from(thrown));
      setBusy(false);
    }
  };
  return (
    <form onSubmit={save} className="flex flex-col gap-2.5" data-testid="host-form">
      <h3 className="font-semibold">{host ? TEXTS.changeTitle(host.name) : TEXTS.addTitle}</h3>
      <Field label={TEXTS.name} help={TEXTS.nameHelp}>
        {(props) => (
          <input
            {...props}
            // biome-ignore lint/a11y/noAutofocus: the form was just asked for.
            autoFocus={!host}
            className={CONTROL}
            autoComplete="off"
            spellCheck={false}
            readOnly={host !== undefined}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label={TEXTS.address}>
        {(props) => (
          <input
            {...props}
            type="url"
            className={CONTROL}
            autoComplete="off"
            spellCheck={false}
            placeholder={TEXTS.addressExample}
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        )}
      </Field>
      <Field label={TEXTS.token} help={TEXTS.tokenHelp}>
        {(props) => (
          <input
            {...props}
            // biome-ignore lint/a11y/noAutofocus: the form was just asked for, and its token is what it lacks.
            autoFocus={host !== undefined}
            type="password"
            className={CONTROL}
            autoComplete="off"
            spellCheck={false}
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        )}
      </Field>
      {problem ? <ErrorMessage error={problem} className="text-sm" /> : null}
      <div className="mt-1 flex justify-end gap-2">
        <Button onClick={onDone}>{TEXTS.cancel}</Button>
        <Button type="submit" kind="main" disabled={busy || !isComplete} data-testid="host-save">
          {host ? TEXTS.saveHost : TEXTS.addHost}
        </Button>
      </div>
    </form>
  );
}

type FieldProps = {
  label: string;
  help?: string;
  children: (props: { id: string; "aria-describedby": string | undefined }) => ReactNode;
};

/** A labeled field with a line of help below it. */
export function Field({ label, help, children }: FieldProps) {
  const id = useId();
  const described = help === undefined ? undefined : `${id}-help`;
  return (
    <div>
      <label htmlFor={id} className="mb-0.5 block text-fg-2 text-xs">
        {label}
      </label>
      {children({ id, "aria-describedby": described })}
      {help === undefined ? null : (
        <p id={described} className="mt-0.5 text-fg-3 text-xs">
          {help}
        </p>
      )}
    </div>
  );
}
