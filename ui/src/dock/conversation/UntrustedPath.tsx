import type { OpenPause } from "@/run/fold/types";
import { useWorkspace } from "@/workspace/context";
import { useUntrustedPath } from "@/workspace/run-hooks";
import { TEXTS } from "./texts";

/** The way that untrusted data took to the tool call that is asked about. The canvas marks the same way. */
export function UntrustedPath({ pause }: { pause: OpenPause }) {
  const workspace = useWorkspace();
  const path = useUntrustedPath((marked) => marked?.path);
  const { tool, node } = pause;
  if (!tool?.untrusted?.length) return null;
  const nameOf = (id: string) => workspace.nodeNames.nameOf(id);
  const steps = path?.nodes.has(node) ? path.steps : [];
  const rows = [
    ...steps.map((step) => ({ node: step.node, text: TEXTS.untrustedStep(nameOf(step.node), step.port) })),
    { node, text: TEXTS.untrustedCall(nameOf(node), tool.name) },
  ];
  return (
    <div className="mt-1.5 flex flex-col gap-1" data-testid="untrusted-path">
      <p className="flex flex-wrap items-center gap-1.5 text-sm">
        <b className="font-semibold">{TEXTS.untrustedPath}</b>
        {tool.untrusted.map((origin) => (
          <span
            key={origin}
            data-untrusted
            title={TEXTS.untrustedData}
            className="origin-chip rounded-[4px] border border-line px-1.5 text-xs"
          >
            {origin}
          </span>
        ))}
      </p>
      <ol className="flex flex-col gap-0.5 text-sm">
        {rows.map((row, index) => (
          <li key={`${row.node}/${row.text}`} className="flex items-center gap-1.5">
            <span data-untrusted className="origin-chip rounded-[4px] border border-line px-1.5 font-mono text-xs">
              {index + 1}
            </span>
            <button
              type="button"
              className="truncate hover:underline"
              onClick={() => workspace.canvas.reveal({ node: row.node })}
            >
              {row.text}
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
