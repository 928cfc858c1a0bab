/** A node of the flow and one of its outputs, chosen from lists: nobody has to know an id. */
import type { Flow, NodeId } from "@/bindings";
import { declaredPorts } from "@/flow/connect/ports";
import { displayedFlow } from "@/flow/document/flow-state";
import type { NodeTypes } from "@/flow/node-types/node-types";
import { useFlow, useNodeTypes } from "@/workspace/context";
import { useConfigNode } from "./config-node";
import { NamedChoice, type NamedOption } from "./NamedChoice";
import type { FieldProps, TextSpec } from "./props";
import { TEXTS } from "./texts";

const ERROR_OUTPUT = "error";

/** Another node of the flow: one of a type, or one with a data output. */
export function NodeControl(props: FieldProps<TextSpec>) {
  const { id: own } = useConfigNode();
  const types = useNodeTypes((all) => all);
  const flow = useFlow(displayedFlow);
  const checked = useFlow((state) => state.checked);
  const { nodeType } = props.spec;
  const ids = Object.keys(flow.nodes).filter((id) =>
    id === own
      ? false
      : nodeType === undefined
        ? dataOutputs(declaredPorts(types, flow, checked, id)).length > 0
        : flow.nodes[id]?.type === nodeType,
  );
  return <NamedChoice {...props} options={named(types, flow, ids)} none={TEXTS.noNode} missing={TEXTS.missingNode} />;
}

/** An output of the node that a field beside this one names. */
export function NodeOutputControl(props: FieldProps<TextSpec>) {
  const { node } = useConfigNode();
  const types = useNodeTypes((all) => all);
  const flow = useFlow(displayedFlow);
  const checked = useFlow((state) => state.checked);
  const source = node?.config?.[props.spec.nodeField ?? ""];
  const outputs = typeof source === "string" ? dataOutputs(declaredPorts(types, flow, checked, source)) : [];
  const options = outputs.map((name) => ({ value: name, label: name }));
  const [first] = outputs;
  const none = first === undefined ? TEXTS.firstOutput : TEXTS.firstOutputNamed(first);
  return <NamedChoice {...props} options={options} none={none} missing={TEXTS.missingOutput} />;
}

function dataOutputs(ports: ReturnType<typeof declaredPorts>): string[] {
  const outputs = ports?.outputs.filter((port) => port.kind === "data" && port.name !== ERROR_OUTPUT) ?? [];
  return outputs.map((port) => port.name);
}

/** Nodes by what people call them; nodes of the same name also by their ids. */
function named(types: NodeTypes, flow: Flow, ids: readonly NodeId[]): NamedOption[] {
  const options = ids.map((id) => {
    const node = flow.nodes[id];
    return { value: id, label: node?.title || types.byType.get(node?.type ?? "")?.title || id };
  });
  const labels = options.map((option) => option.label);
  return options.map(({ value, label }) => {
    const isUnique = labels.indexOf(label) === labels.lastIndexOf(label);
    return { value, label: isUnique ? label : `${label} (${value})` };
  });
}
