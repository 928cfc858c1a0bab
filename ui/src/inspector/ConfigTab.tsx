import { useMemo } from "react";
import type { Node, NodeDescriptor, NodeId } from "@/bindings";
import { JsonView } from "@/design/json/JsonView";
import { isComposing } from "@/design/keys/keys";
import { InlineCode } from "@/design/text/InlineCode";
import { diagnosticsOf } from "@/flow/check/diagnostics";
import { isInConversation } from "@/flow/containers/containers";
import { displayedFlow } from "@/flow/document/flow-state";
import { type Spec, specOf } from "@/flow/node-types/config-spec";
import { outsideOfConversation } from "@/flow/node-types/conversation-fields";
import { commentField } from "@/flow/node-types/node-types";
import { CodeControl } from "@/forms/CodeControl";
import { Control } from "@/forms/Control";
import { ConfigNode } from "@/forms/config-node";
import { FormField } from "@/forms/FormField";
import { configPath, type Path } from "@/forms/findings";
import { InheritedValues, inheritedBy, withInherited } from "@/forms/inherited";
import { useResolvedConfig } from "@/forms/resolved-config";
import { useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";
import { BreakpointsSection } from "./BreakpointsSection";
import { ColorRow } from "./ColorRow";
import { Help } from "./Help";
import { LimitsSection } from "./LimitsSection";
import { PinSection } from "./PinSection";
import { RunFilesSection } from "./RunFilesSection";
import { TrialSection } from "./TrialSection";
import { TEXTS } from "./texts";

const NO_CONFIG: Record<string, unknown> = {};

type Props = { nodeId: NodeId; node: Node; type: NodeDescriptor | undefined; readOnly: boolean };

/** What the node does: a form drawn from its type's schema, its limits, and help. */
export function ConfigTab({ nodeId, node, type, readOnly }: Props) {
  const { canvas, editor } = useWorkspace();
  const all = useFlow((state) => state.checked.diagnostics);
  const findings = useMemo(() => diagnosticsOf(all, nodeId), [all, nodeId]);
  const isComment = useNodeTypes((types) => commentField(types, node)) !== undefined;
  const resolved = useResolvedConfig(nodeId);
  const inherited = useMemo(() => inheritedBy(resolved, nodeId), [resolved, nodeId]);
  const inConversation = useFlow((state) => isInConversation(displayedFlow(state), nodeId));
  const { config = NO_CONFIG } = node;
  const spec = useMemo(() => {
    if (!type) return undefined;
    const whole = specOf(type.configSchema);
    return withInherited(inConversation ? whole : outsideOfConversation(whole, config), inherited, "/config");
  }, [type, inherited, inConversation, config]);
  const general = findings.filter((found) => !(configPath(found)?.length ?? 0));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what bubbles up from its fields.
    <div
      className="h-full overflow-y-auto px-3 py-3"
      data-config-of={nodeId}
      onKeyDown={(event) => {
        // Not from a menu, which is elsewhere in the page.
        const within = event.currentTarget.contains(event.target as Element);
        if (event.key !== "Escape" || isComposing(event) || event.defaultPrevented) return;
        if (within) canvas.focusNode(nodeId);
      }}
    >
      {general.length > 0 ? (
        <ul className="mb-3 flex flex-col gap-1.5" aria-label={TEXTS.problemsNode}>
          {general.map((found) => (
            <li
              key={`${found.code}${found.pointer}${found.message}`}
              className="finding-box"
              data-severity={found.severity}
            >
              <InlineCode text={found.message} />
              {found.hint ? (
                <span className="text-fg-2">
                  {" "}
                  <InlineCode text={found.hint} />
                </span>
              ) : null}
            </li>
          ))}
        </ul>
      ) : null}
      {spec ? (
        <InheritedValues values={inherited} prefix="/config">
          <ConfigNode value={nodeId}>
            <TrialSection nodeId={nodeId} node={node}>
              {(draft) => (
                <ConfigForm
                  key={draft ? "trial" : "flow"}
                  config={draft?.config ?? config}
                  spec={spec}
                  findings={draft ? [] : findings}
                  readOnly={readOnly}
                  onChange={draft?.onChange ?? ((path, value) => editor.setConfig(nodeId, path, value))}
                />
              )}
            </TrialSection>
          </ConfigNode>
        </InheritedValues>
      ) : (
        <Unknown node={node} />
      )}
      {readOnly ? null : <RunFilesSection nodeId={nodeId} />}
      {isComment ? null : (
        <LimitsSection nodeId={nodeId} node={node} findings={findings} inherited={inherited} readOnly={readOnly} />
      )}
      {readOnly || isComment ? null : <BreakpointsSection nodeId={nodeId} type={type} />}
      {isComment ? null : <PinSection nodeId={nodeId} node={node} readOnly={readOnly} />}
      <div className="my-3">
        <ColorRow nodes={[nodeId]} readOnly={readOnly} />
      </div>
      {type ? <Help type={type} nodeId={nodeId} readOnly={readOnly} /> : null}
    </div>
  );
}

type FormProps = {
  config: Record<string, unknown>;
  spec: Spec;
  findings: ReturnType<typeof diagnosticsOf>;
  readOnly: boolean;
  onChange: (path: Path, value: unknown) => void;
};

const NO_HELP: Pick<Spec, "help"> = { help: undefined };

function ConfigForm({ config, spec, findings, readOnly, onChange }: FormProps) {
  const common = { id: "config", label: TEXTS.config, value: config, path: [] as Path, findings, onChange, readOnly };
  // The config's own description says what the type's help says already.
  if (spec.kind === "object") {
    if (spec.fields.length === 0) return <p className="mb-3 text-fg-2 text-sm">{TEXTS.noSettings}</p>;
    return (
      <>
        <Control {...common} spec={{ ...spec, ...NO_HELP }} />
        <UnknownFields config={config} spec={spec} onChange={onChange} findings={findings} readOnly={readOnly} />
      </>
    );
  }
  return <CodeControl {...common} spec={{ kind: "json", optional: false }} />;
}

/** Config fields that are not in the schema, so that they can be seen and removed. */
function UnknownFields({ config, spec, onChange, findings, readOnly }: FormProps) {
  const known = new Set(spec.kind === "object" ? spec.fields.map((field) => field.name) : []);
  const strange = Object.keys(config).filter((key) => !known.has(key));
  return strange.map((key) => (
    <FormField
      key={key}
      label={`${key} (unknown)`}
      spec={{ kind: "json", optional: true }}
      value={config[key]}
      path={[key]}
      findings={findings}
      onChange={onChange}
      readOnly={readOnly}
    />
  ));
}

function Unknown({ node }: { node: Node }) {
  return (
    <div className="mb-3">
      <p className="mb-2 text-fg-2 text-sm">{TEXTS.unknownNodeTypeNode(node.type)}</p>
      <JsonView value={node} label={TEXTS.nodeJson} />
    </div>
  );
}
