/** One tool: Plait's own, or one that the nodes on the tools edge declare. */
import { useEffect } from "react";
import type { Flow, NodeId } from "@/bindings";
import { CONTROL } from "@/design/controls/control";
import { displayedFlow } from "@/flow/document/flow-state";
import { useFlow, useOwnTools, useWorkspace } from "@/workspace/context";
import { useConfigNode } from "./config-node";
import { useSettle } from "./form-context";
import { NamedChoice } from "./NamedChoice";
import { type FieldProps, shared, type TextSpec } from "./props";
import { TEXTS } from "./texts";

const TOOLS_INPUT = "tools";

/** A list to choose from. Where an edge brings tools that are known only in a run, a name can be typed as well. */
export function ToolControl(props: FieldProps<TextSpec>) {
  const { ownTools } = useWorkspace();
  const settle = useSettle();
  const { id: own } = useConfigNode();
  const flow = useFlow(displayedFlow);
  const known = useOwnTools((state) => state.tools);
  useEffect(() => void ownTools.load(), [ownTools]);
  const { id, value, path } = props;
  const chosen = typeof value === "string" ? value : "";
  const sources = own === undefined ? [] : feeding(flow, own);
  const names = [...new Set([...sources.flatMap((source) => declaredTools(flow, source)), ...toolNames(known ?? [])])];
  if (sources.length > 0) {
    return (
      <>
        <input
          {...shared(props)}
          className={`${CONTROL} h-[30px]`}
          list={`${id}-tools`}
          value={chosen}
          onChange={(event) => props.onChange(path, event.target.value === "" ? undefined : event.target.value)}
          onBlur={settle}
        />
        <datalist id={`${id}-tools`}>
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </>
    );
  }
  const options = names.map((name) => ({ value: name, label: name }));
  // Whether a tool exists is not known before the list is.
  const missing = known ? TEXTS.missingTool : (name: string) => name;
  return <NamedChoice {...props} options={options} none={TEXTS.chooseTool} missing={missing} />;
}

function toolNames(tools: readonly { name: string }[]): string[] {
  return tools.map((tool) => tool.name);
}

/** The nodes that a node gets tools from. */
function feeding(flow: Flow, id: NodeId): NodeId[] {
  const edges = Object.values(flow.edges).filter((edge) => edge.target === id && edge.targetInput === TOOLS_INPUT);
  return edges.map((edge) => edge.source);
}

/** The names of the HTTP tools that a node declares. */
function declaredTools(flow: Flow, id: NodeId): string[] {
  const http = flow.nodes[id]?.config?.http;
  if (!Array.isArray(http)) return [];
  return http.flatMap((tool: { name?: unknown } | null) => (typeof tool?.name === "string" ? [tool.name] : []));
}
