import type { McpTool, McpToolChanges } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { TEXTS } from "./texts";

type Props = { changes: McpToolChanges; disabled: boolean; onAccept: () => void };

/** How the tools of a server differ from the accepted ones, and accepting them. */
export function ToolChanges({ changes, disabled, onAccept }: Props) {
  return (
    <section className="mt-2 rounded-md border border-bad p-2 text-xs" aria-label={TEXTS.changesTitle}>
      <p className="font-semibold text-bad">{TEXTS.changesTitle}</p>
      <p className="mt-0.5 text-fg-2">{TEXTS.changesHelp}</p>
      <ul>
        {changes.changed.map(({ accepted, current }) => (
          <li key={current.name} className="mt-1.5">
            <Definition label={TEXTS.before} tool={accepted} />
            <Definition label={TEXTS.now} tool={current} />
          </li>
        ))}
        {changes.added.map((tool) => (
          <li key={tool.name} className="mt-1.5">
            <Definition label={TEXTS.newTool} tool={tool} />
          </li>
        ))}
        {changes.removed.map((name) => (
          <li key={name} className="mt-1.5">
            {TEXTS.goneTool}: <span className="font-mono">{name}</span>
          </li>
        ))}
      </ul>
      <Button className="mt-2" disabled={disabled} onClick={onAccept}>
        {TEXTS.accept}
      </Button>
    </section>
  );
}

function Definition({ label, tool }: { label: string; tool: McpTool }) {
  return (
    <div className="mt-0.5 break-words">
      {label}: <span className="font-mono">{tool.name}</span>
      {tool.readOnly ? ` (${TEXTS.readOnly})` : null}
      <p className="whitespace-pre-wrap text-fg-2">{tool.description}</p>
      <p className="break-all font-mono text-2xs text-fg-3">{JSON.stringify(tool.parameters)}</p>
    </div>
  );
}
