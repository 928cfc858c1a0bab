import type { NodeId } from "@/bindings";
import { type Tab, Tabs } from "@/design/controls/Tabs";
import { useDraft } from "@/design/controls/useDraft";
import { Icon } from "@/design/icons/Icon";
import { Empty } from "@/design/text/Empty";
import { displayedFlow } from "@/flow/document/flow-state";
import { commentField } from "@/flow/node-types/node-types";
import { useFlow, useLayout, useNodeTypes, useWorkspace } from "@/workspace/context";
import { useNodeOf } from "@/workspace/run-hooks";
import { ConfigTab } from "./ConfigTab";
import { Context } from "./run/Context";
import { EpochPicker } from "./run/EpochPicker";
import { InputsOutputs } from "./run/InputsOutputs";
import { Prompt } from "./run/Prompt";
import { TEXTS } from "./texts";

/** One node: its name, its config, and what a run made of it. */
export function NodeInspector({ nodeId }: { nodeId: NodeId }) {
  const { layout } = useWorkspace();
  const node = useFlow((state) => displayedFlow(state).nodes[nodeId]);
  const type = useNodeTypes((types) => (node ? types.byType.get(node.type) : undefined));
  const readOnly = useFlow((state) => state.viewing !== undefined);
  const chosen = useLayout((state) => state.inspectorTab);
  const runs = useNodeTypes((types) => commentField(types, node)) === undefined;
  // A tab that this node can never fill is not offered.
  const called = useNodeOf(nodeId, (view) => view?.epochs.some((epoch) => epoch.calls.length > 0) === true);
  const callsModels = called || type === undefined || type.category === "models";
  const usesContext =
    type === undefined || [...type.ports.inputs, ...type.ports.outputs].some((port) => port.kind === "context");
  if (!node) return <Empty title={TEXTS.nodeNotFound} />;
  const tabs: Tab[] = [
    {
      id: "config",
      label: TEXTS.config,
      content: <ConfigTab nodeId={nodeId} node={node} type={type} readOnly={readOnly} />,
    },
    ...(runs
      ? [
          { id: "io", label: TEXTS.inputOutput, content: <InputsOutputs nodeId={nodeId} /> },
          ...(callsModels ? [{ id: "prompt", label: TEXTS.prompt, content: <Prompt nodeId={nodeId} /> }] : []),
          ...(usesContext ? [{ id: "context", label: TEXTS.context, content: <Context nodeId={nodeId} /> }] : []),
        ]
      : []),
  ];
  const displayed = tabs.some((tab) => tab.id === chosen) ? chosen : "config";
  return (
    <div className="flex h-full flex-col">
      <header className="flex shrink-0 items-center gap-2 px-3 pt-2.5 pb-1">
        <span className="text-fg-2">
          <Icon name={type?.icon} size={16} />
        </span>
        <NameField
          nodeId={nodeId}
          title={node.title ?? ""}
          placeholder={type?.title ?? node.type}
          readOnly={readOnly}
        />
        <EpochPicker nodeId={nodeId} />
      </header>
      <p className="shrink-0 truncate px-3 pb-1 text-fg-3 text-xs">
        {type?.title ?? TEXTS.unknownType} · <code>{nodeId}</code>
      </p>
      <div className="min-h-0 flex-1">
        <Tabs
          label={TEXTS.node}
          tabs={tabs}
          value={displayed}
          onChange={(tab) => layout.showInspectorTab(tab)}
          testId="inspector-tab"
        />
      </div>
    </div>
  );
}

type NameProps = { nodeId: NodeId; title: string; placeholder: string; readOnly: boolean };

function NameField({ nodeId, title, placeholder, readOnly }: NameProps) {
  const { editor } = useWorkspace();
  const draft = useDraft(title, (name) => editor.rename(nodeId, name));
  return (
    <input
      {...draft}
      className="-ml-1 h-7 min-w-0 flex-1 truncate rounded-md border border-transparent bg-transparent px-1 font-semibold text-base outline-none placeholder:text-fg hover:border-line focus:border-accent"
      data-testid="node-title"
      aria-label={TEXTS.nodeName}
      placeholder={placeholder}
      maxLength={120}
      disabled={readOnly}
    />
  );
}
