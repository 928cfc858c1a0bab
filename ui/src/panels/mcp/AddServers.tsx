import { type FormEvent, useState } from "react";
import type { McpImport } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** Takes the JSON of other clients. */
export function AddServers({ onAdded }: { onAdded: () => Promise<void> }) {
  const { host } = useWorkspace();
  const [json, setJson] = useState("");
  const [name, setName] = useState("");
  const [error, setError] = useState<HostError>();
  const [report, setReport] = useState<McpImport>();
  const add = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const wanted = name.trim();
      setReport(await host.call("mcp.add", { json, ...(wanted && { name: wanted }) }));
      setError(undefined);
      setJson("");
      setName("");
      await onAdded();
    } catch (thrown) {
      setReport(undefined);
      setError(HostError.from(thrown));
    }
  };
  return (
    <form className="mt-4" aria-label={TEXTS.addServers} onSubmit={add}>
      <h3 className="mb-2 font-semibold text-2xs text-fg-3 uppercase tracking-[0.05em]">{TEXTS.addServers}</h3>
      <textarea
        className={`${CONTROL} min-h-24 resize-y py-1.5 font-mono text-xs`}
        aria-label={TEXTS.json}
        placeholder={'{ "mcpServers": { "files": { "command": "npx", "args": ["…"] } } }'}
        spellCheck={false}
        value={json}
        onChange={(event) => setJson(event.target.value)}
      />
      <p className="mt-1 mb-1.5 text-fg-3 text-xs">{TEXTS.jsonHelp}</p>
      <div className="flex gap-1.5">
        <input
          className={`${CONTROL} h-[30px] text-sm`}
          aria-label={TEXTS.nameOfOne}
          placeholder={TEXTS.nameOfOne}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" disabled={json.trim() === ""}>
          {TEXTS.add}
        </Button>
      </div>
      {error ? <ErrorMessage className="mt-1.5 text-xs" error={error} /> : null}
      {report ? (
        <div className="mt-1.5 break-words text-fg-2 text-xs" role="status">
          <p>{TEXTS.added(report.added.join(", "))}</p>
          {report.secrets.length > 0 ? <p>{TEXTS.inKeyStore(report.secrets.join(", "))}</p> : null}
          {report.ignored.length > 0 ? <p>{TEXTS.notUsed(report.ignored.join(", "))}</p> : null}
        </div>
      ) : null}
    </form>
  );
}
