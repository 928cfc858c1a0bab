import { useState } from "react";
import type { McpLogLine, McpServerDetails, McpServerStatus } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { describePin } from "@/run/grants/grants";
import { useWorkspace } from "@/workspace/context";
import { Offers } from "./Offers";
import { ToolChanges } from "./ToolChanges";
import { TEXTS } from "./texts";

const DOTS: Record<McpServerStatus["phase"], string> = {
  idle: "bg-fg-3",
  starting: "bg-wait",
  connected: "bg-ok",
  ended: "bg-wait",
  failed: "bg-bad",
};

/** One server: its state, its tools, and its actions. */
export function ServerCard({ server, onChanged }: { server: McpServerStatus; onChanged: () => Promise<void> }) {
  const { host, questions } = useWorkspace();
  const { name, phase, changes, startingSeconds } = server;
  const [details, setDetails] = useState<McpServerDetails>();
  const [log, setLog] = useState<McpLogLine[]>();
  const [error, setError] = useState<HostError>();
  const [busy, setBusy] = useState(false);
  const perform = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
      setError(undefined);
    } catch (thrown) {
      setError(HostError.from(thrown));
    }
    setBusy(false);
    await onChanged();
  };
  const connect = () => perform(async () => setDetails(await host.call("mcp.connect", { name })));
  const disconnect = () =>
    perform(async () => {
      await host.call("mcp.disconnect", { name });
      setDetails(undefined);
    });
  const accept = (definitions: string) =>
    perform(async () => setDetails(await host.call("mcp.acceptTools", { name, definitions })));
  const toggleLog = () =>
    perform(async () => setLog(log === undefined ? await host.call("mcp.log", { name }) : undefined));
  const remove = async () => {
    const choice = await questions.ask({
      title: TEXTS.removeTitle(name),
      text: TEXTS.removeBody,
      actions: [{ id: "remove", label: TEXTS.remove, kind: "danger" }],
    });
    if (choice === "remove") await perform(async () => void (await host.call("mcp.remove", { name })));
  };
  const { transport } = server.entry;
  const target = transport.type === "http" ? transport.url : [transport.command, ...transport.args].join(" ");
  const problem = error ?? server.fault;
  return (
    <li className="mb-2 rounded-lg border border-line bg-bg-2 p-2.5" data-testid={`mcp-${name}`}>
      <div className="flex items-center gap-1.5">
        <span className={`size-2 shrink-0 rounded-full ${DOTS[phase]}`} aria-hidden="true" />
        <h3 className="min-w-0 flex-1 truncate font-semibold text-sm">{name}</h3>
        <span className="text-fg-2 text-xs">
          {phase === "starting" && startingSeconds !== undefined
            ? TEXTS.startingFor(startingSeconds)
            : busy
              ? TEXTS.connecting
              : TEXTS.phases[phase]}
        </span>
      </div>
      <p className="mt-0.5 break-all font-mono text-2xs text-fg-3">{target}</p>
      <p className="mt-0.5 text-fg-2 text-xs">{server.pin ? describePin(server.pin) : TEXTS.neverConnected}</p>
      <div className="mt-1.5 flex flex-wrap gap-1.5">
        {phase === "connected" && details ? (
          <Button aria-label={TEXTS.disconnectServer(name)} disabled={busy} onClick={disconnect}>
            {TEXTS.disconnect}
          </Button>
        ) : (
          <Button aria-label={TEXTS.connectServer(name)} disabled={busy} onClick={connect}>
            {TEXTS.connect}
          </Button>
        )}
        <Button aria-label={TEXTS.logOf(name)} aria-expanded={log !== undefined} onClick={toggleLog}>
          {TEXTS.showLog}
        </Button>
        <Button kind="danger" aria-label={TEXTS.removeServer(name)} onClick={remove}>
          {TEXTS.remove}
        </Button>
      </div>
      {problem ? <ErrorMessage className="mt-1.5 text-xs" error={problem} /> : null}
      {changes ? <ToolChanges changes={changes} disabled={busy} onAccept={() => accept(changes.definitions)} /> : null}
      {log ? <LogLines name={name} lines={log} /> : null}
      {details ? <Offers details={details} /> : null}
    </li>
  );
}

function LogLines({ name, lines }: { name: string; lines: McpLogLine[] }) {
  if (lines.length === 0) return <p className="mt-2 text-fg-3 text-xs">{TEXTS.emptyLog}</p>;
  return (
    <section
      className="mt-2 max-h-48 overflow-auto rounded-md bg-bg p-1.5"
      aria-label={TEXTS.logOf(name)}
      // Scrollable regions must be reachable with the keyboard.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
      tabIndex={0}
    >
      {lines.map((line, index) => (
        <p
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity, and the list is never reordered
          key={index}
          className={`whitespace-pre-wrap break-all font-mono text-2xs ${line.origin === "plait" ? "text-fg-3" : "text-fg-2"}`}
        >
          {line.text}
        </p>
      ))}
    </section>
  );
}
