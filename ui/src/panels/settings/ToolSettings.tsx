import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ToolSecret, ToolSettings as Tools } from "@/bindings";
import { Button, IconButton } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { InlineCode } from "@/design/text/InlineCode";
import { HostError } from "@/ipc";
import { useSettings, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";
import { readHosts } from "./tool-settings";

/** What the person allows tools: hosts that are not public, and secrets for their headers. */
export function ToolSettings() {
  const tools = useSettings((settings) => settings.tools) ?? {};
  const { settings } = useWorkspace();
  const put = (changes: Partial<Tools>) => settings.put((all) => ({ tools: { ...all.tools, ...changes } }));
  return (
    <>
      <HostField hosts={tools.allowedHosts ?? []} onRead={(allowedHosts) => put({ allowedHosts })} />
      <Secrets secrets={tools.secrets ?? {}} onChange={(secrets) => put({ secrets })} />
    </>
  );
}

/** What the host says of a change that it refuses, and how to try one. Resolves to whether it was accepted. */
function useProblem() {
  const [problem, setProblem] = useState<string>();
  const attempt = async (change: Promise<void>): Promise<boolean> => {
    try {
      await change;
      setProblem(undefined);
      return true;
    } catch (thrown) {
      setProblem(HostError.from(thrown).message);
      return false;
    }
  };
  return { problem, attempt };
}

function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p className="mt-0.5 text-bad text-xs" role="status">
      <InlineCode text={text} />
    </p>
  );
}

function HostField({ hosts, onRead }: { hosts: readonly string[]; onRead: (hosts: string[]) => Promise<void> }) {
  const { problem, attempt } = useProblem();
  const text = hosts.join("\n");
  return (
    <div data-setting="network" className="mb-3">
      <label htmlFor="tools-hosts" className="mb-0.5 block text-fg-2 text-xs">
        {TEXTS.allowedHosts}
      </label>
      <textarea
        // Resets the field to the stored value.
        key={text}
        id="tools-hosts"
        rows={2}
        className={`${CONTROL} field-sizing-content min-h-12 font-mono text-xs`}
        placeholder="localhost:8080"
        defaultValue={text}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby="tools-hosts-help"
        onBlur={(event) => {
          const read = readHosts(event.target.value);
          if (problem !== undefined || read.join("\n") !== text) void attempt(onRead(read));
        }}
      />
      <Problem text={problem} />
      <p id="tools-hosts-help" className="mt-0.5 text-fg-3 text-xs">
        {TEXTS.allowedHostsHelp}
      </p>
    </div>
  );
}

type SecretsProps = {
  secrets: Readonly<Record<string, ToolSecret>>;
  onChange: (secrets: Record<string, ToolSecret>) => Promise<void>;
};

/** Each secret by name: where it may be sent, and the variable that holds it. Never the secret itself. */
function Secrets({ secrets, onChange }: SecretsProps) {
  const [name, setName] = useState("");
  const [origin, setOrigin] = useState("");
  const [variable, setVariable] = useState("");
  const { problem, attempt } = useProblem();
  const isComplete = name !== "" && origin !== "" && variable !== "";
  const without = (removed: string) =>
    Object.fromEntries(Object.entries(secrets).filter(([other]) => other !== removed));
  return (
    <fieldset data-setting="key" aria-label={TEXTS.toolSecrets}>
      <p className="mb-0.5 text-fg-2 text-xs">{TEXTS.toolSecrets}</p>
      {Object.entries(secrets).map(([known, secret]) => (
        <div
          key={known}
          className="mb-1 flex items-center gap-2 rounded-lg border border-line bg-bg-2 px-2 py-1 text-xs"
        >
          <span className="min-w-0 flex-1">
            <code>{`\${${known}}`}</code>
            <span className="block break-all text-fg-3">{TEXTS.secretOf(secret.variable ?? known, secret.origin)}</span>
          </span>
          <IconButton
            label={TEXTS.removeSecret(known)}
            icon={<Trash2 size={13} />}
            className="size-6"
            onClick={() => void attempt(onChange(without(known)))}
          />
        </div>
      ))}
      <div className="flex flex-col gap-1">
        <SecretInput label={TEXTS.secretName} placeholder="GITHUB" value={name} onChange={setName} />
        <SecretInput
          label={TEXTS.secretOrigin}
          placeholder="https://api.github.com"
          value={origin}
          onChange={setOrigin}
        />
        <SecretInput label={TEXTS.secretVariable} placeholder="GITHUB_TOKEN" value={variable} onChange={setVariable} />
        <Button
          className="self-start"
          disabled={!isComplete}
          onClick={async () => {
            if (!(await attempt(onChange({ ...secrets, [name]: { origin, variable } })))) return;
            setName("");
            setOrigin("");
            setVariable("");
          }}
        >
          <Plus size={14} aria-hidden /> {TEXTS.addSecret}
        </Button>
        <Problem text={problem} />
      </div>
      <p className="mt-1 text-fg-3 text-xs">{TEXTS.toolSecretsHelp}</p>
    </fieldset>
  );
}

type InputProps = { label: string; placeholder: string; value: string; onChange: (value: string) => void };

/** One part of a new secret. None of them can have spaces around it. */
function SecretInput({ label, placeholder, value, onChange }: InputProps) {
  return (
    <input
      className={`${CONTROL} h-[28px] font-mono text-xs`}
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onChange={(event) => onChange(event.target.value.trim())}
    />
  );
}
