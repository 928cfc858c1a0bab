import { BookOpen } from "lucide-react";
import type { NodeDescriptor, NodeId, Ports } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { JsonView } from "@/design/json/JsonView";
import { Markdown } from "@/design/markdown/Markdown";
import { InlineCode } from "@/design/text/InlineCode";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** The description of a node type, its ports, and examples with configs to apply. */
export function Help({ type, nodeId, readOnly }: { type: NodeDescriptor; nodeId: NodeId; readOnly: boolean }) {
  const { editor, guide } = useWorkspace();
  return (
    <>
      <details className="section" open>
        <summary>{TEXTS.about}</summary>
        <div className="pt-2 text-fg-2 text-sm">
          <Markdown text={type.description} />
          <PortList ports={type.ports} />
          <Button kind="quiet" className="mt-2 -ml-2.5" onClick={() => guide.explainNode(type.title)}>
            <BookOpen size={14} aria-hidden /> {TEXTS.openInGuide}
          </Button>
        </div>
      </details>
      {type.examples.length > 0 ? (
        <details className="section">
          <summary>{TEXTS.examples(type.examples.length)}</summary>
          <ul className="flex flex-col gap-2 pt-2">
            {type.examples.map((example) => (
              <li key={example.title} className="rounded-lg border border-line p-2">
                <p className="mb-1 font-medium text-sm">{example.title}</p>
                <Part name="Config" value={example.config} />
                <Part name="Inputs" value={example.inputs} />
                {example.answer === undefined ? null : <Part name="Answer" value={example.answer} />}
                {example.outputs === null ? null : <Part name="Outputs" value={example.outputs} />}
                <Button
                  className="mt-1.5"
                  disabled={readOnly}
                  onClick={() => {
                    const config = Object.keys(example.config).length > 0 ? example.config : undefined;
                    editor.setNode(nodeId, { config }, "example");
                    editor.sealGesture();
                  }}
                >
                  {TEXTS.useThisConfig}
                </Button>
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </>
  );
}

function Part({ name, value }: { name: string; value: unknown }) {
  if (typeof value === "object" && value !== null && Object.keys(value).length === 0) return null;
  return (
    <div className="mb-1 grid grid-cols-[56px_minmax(0,1fr)] gap-2 text-xs">
      <span className="text-fg-3">{name}</span>
      <JsonView value={value} label={name} />
    </div>
  );
}

function PortList({ ports }: { ports: Ports }) {
  const rows = [
    ...ports.inputs.map((port) => ({ ...port, side: "in" })),
    ...ports.outputs.map((port) => ({ ...port, side: "out" })),
  ];
  if (rows.length === 0) return null;
  return (
    <ul className="mt-2 flex flex-col gap-1 text-xs" aria-label={TEXTS.ports}>
      {rows.map((port) => (
        <li key={`${port.side}${port.name}`} className="flex items-baseline gap-2">
          <i className="port-mark" data-kind={port.kind} aria-hidden />
          <code className="text-fg">{port.name}</code>
          <span className="text-fg-3">{port.side}</span>
          <span>
            <InlineCode text={port.description} />
          </span>
        </li>
      ))}
    </ul>
  );
}
