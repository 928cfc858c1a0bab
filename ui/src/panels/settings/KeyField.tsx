import { type FormEvent, useId, useRef, useState } from "react";
import type { KeyLocation, ProviderStatus } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { useWorkspace } from "@/workspace/context";
import { keyPlace } from "./labels";
import { TEXTS } from "./texts";

/** A provider's key: where it comes from, and a field that only takes one in. A key is never shown again. */
export function KeyField({ provider, place }: { provider: ProviderStatus; place: KeyLocation }) {
  const workspace = useWorkspace();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [key, setTyped] = useState("");
  const [forSession, setForSession] = useState(place.source === undefined);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<HostError>();
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
      setTyped("");
      // The button that was pressed can't be pressed again, and is no place to stay at.
      field.current?.focus();
    } catch (thrown) {
      setProblem(HostError.from(thrown));
    }
    setBusy(false);
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() !== "") run(() => workspace.providers.setKey(provider.name, key, forSession ? "session" : "stored"));
  };
  const { source, problem: unreadable } = provider.key;
  return (
    <form className="mb-2.5" onSubmit={save}>
      <label htmlFor={id} className="mb-0.5 block text-fg-2 text-xs">
        {TEXTS.apiKey}
      </label>
      <p id={`${id}-place`} className="mb-1 text-xs" data-testid={`key-place-${provider.name}`}>
        {keyPlace(provider, place)}
      </p>
      {provider.key.removedWith !== undefined && source === undefined ? (
        <p className="mb-1 text-wait text-xs" role="status">
          {TEXTS.keyRemovedWithHost(provider.key.removedWith)}
        </p>
      ) : null}
      <div className="flex gap-1.5">
        <input
          ref={field}
          id={id}
          type="password"
          className={`${CONTROL} h-[30px] min-w-0 text-sm`}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={`${id}-place`}
          aria-invalid={problem?.code === "keys.bad_key" || undefined}
          placeholder={source ? TEXTS.newApiKey : TEXTS.pasteApiKey}
          value={key}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit" disabled={busy || key.trim() === ""} aria-label={TEXTS.setApiKey(provider.name)}>
          {TEXTS.setKey}
        </Button>
      </div>
      <div className="mt-1 flex flex-wrap items-center justify-between gap-x-2">
        <label className="flex items-center gap-1.5 text-fg-2 text-xs">
          <input
            type="checkbox"
            className="accent-(--accent-fill)"
            checked={forSession}
            disabled={place.source === undefined}
            onChange={(event) => setForSession(event.target.checked)}
          />
          {TEXTS.thisSessionOnly}
        </label>
        {source && source !== "environment" && provider.key.setFor === undefined ? (
          <Button
            kind="quiet"
            className="h-6 px-1.5 text-xs"
            disabled={busy}
            aria-label={TEXTS.removeApiKey(provider.name)}
            onClick={() => run(() => workspace.providers.removeKey(provider.name))}
          >
            {TEXTS.removeKey}
          </Button>
        ) : null}
      </div>
      {(problem ?? unreadable) ? (
        <ErrorMessage className="mt-1.5 text-xs" error={(problem ?? unreadable) as HostError} />
      ) : null}
    </form>
  );
}
