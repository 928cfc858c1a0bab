/**
 * A simplified flow check for the mock host: unknown types and ports, incompatible strands and types, contexts and back edges.
 */
import type {
  CheckedFlow,
  Diagnostic,
  Edge,
  EdgeId,
  ErrorCode,
  Flow,
  Node,
  NodeDescriptor,
  NodeId,
  Ports,
} from "@/bindings";
import { endsOfEdge, findPort } from "@/flow/connect/ports";
import { containerOf, sideExit } from "@/flow/containers/containers";
import { type Spec, specOf } from "@/flow/node-types/config-spec";
import { OWN_TOOLS } from "./tools";

type Port = Ports["inputs"][number];
type Types = ReadonlyMap<string, NodeDescriptor>;

export function checkFlow(flow: Flow, types: Types): CheckedFlow {
  const diagnostics: Diagnostic[] = [];
  const ports: Record<NodeId, Ports> = {};
  for (const [id, node] of Object.entries(flow.nodes)) {
    const type = types.get(node.type);
    if (type) ports[id] = portsFor(type, node);
    else {
      diagnostics.push({
        code: "node.unknown_type",
        severity: "error",
        message: `There is no node type \`${node.type}\`.`,
        hint: "The node is kept as it is; delete it or open the flow with a newer Plait.",
        node: id,
        pointer: `/nodes/${escapePart(id)}/type`,
      });
    }
  }
  for (const [id, edge] of Object.entries(flow.edges)) diagnostics.push(...checkEdge(flow, ports, id, edge));
  const fed = fedInputs(flow);
  const agents = summarizers(flow);
  for (const [id, { inputs }] of Object.entries(ports)) {
    if (!agents.has(id)) diagnostics.push(...checkInputs(id, inputs, fed.get(id)));
  }
  const backEdges = findBackEdges(flow);
  diagnostics.push(...unknownTools(flow));
  const contexts = findContexts(flow, ports, new Set(backEdges));
  const reads = configReads(flow, ports, diagnostics);
  return { diagnostics, ports, contexts, backEdges, reads };
}

/** What sub-flows read from nodes that their configs name, as the engine's `config_edges` has it. */
function configReads(flow: Flow, ports: Record<NodeId, Ports>, diagnostics: Diagnostic[]): Record<EdgeId, Edge> {
  const reads: Record<EdgeId, Edge> = {};
  for (const [id, { type, config = {} }] of Object.entries(flow.nodes)) {
    const source = config.sourceNodeId;
    if (type !== "subflow" || config.inputSource !== "nodeOutput" || typeof source !== "string" || !ports[id]) continue;
    const pointer = `/nodes/${escapePart(id)}/config/sourceNodeId`;
    const report = (message: string, hint?: string) =>
      diagnostics.push({ code: "config.unknown_source", severity: "error", message, hint, node: id, pointer });
    const known = ports[source];
    if (!known) {
      // A node of an unknown type has a diagnostic of its own.
      if (!flow.nodes[source]) {
        report(
          `There is no node \`${source}\` to read a value from.`,
          "Choose a node of this flow, or connect an edge instead.",
        );
      }
      continue;
    }
    const first = known.outputs.find((port) => port.kind === "data" && port.name !== "error");
    const output = typeof config.sourceOutput === "string" ? config.sourceOutput : first?.name;
    if (output === undefined) {
      report(`Node \`${source}\` has no data output.`);
      continue;
    }
    const edge = { source, sourceOutput: output, target: id, targetInput: "value" };
    diagnostics.push(...checkEdge(flow, ports, `${id}/sourceNodeId`, edge));
    reads[`${id}/sourceNodeId`] = edge;
  }
  return reads;
}

/** Names of tools that do not exist. What a tools edge brings is not known here. */
function unknownTools(flow: Flow): Diagnostic[] {
  const isKnown = (name: string) => OWN_TOOLS.some((tool) => tool.name === name);
  const unknown = (node: NodeId, setting: string, name: string): Diagnostic => ({
    code: "tools.unknown",
    severity: "error",
    message: name === "" ? "This node names no tool." : `There is no tool \`${name}\`.`,
    hint: `Choose one of: ${OWN_TOOLS.map((tool) => tool.name).join(", ")}.`,
    node,
    pointer: `/nodes/${escapePart(node)}/config/${setting}`,
  });
  const fed = new Set(Object.values(flow.edges).flatMap((edge) => (edge.targetInput === "tools" ? [edge.target] : [])));
  return Object.entries(flow.nodes).flatMap(([id, { type, config = {} }]) => {
    if (type === "tools" && Array.isArray(config.tools)) {
      const names = config.tools.map((name, index) => ({ name: String(name), index }));
      return names.filter(({ name }) => !isKnown(name)).map(({ name, index }) => unknown(id, `tools/${index}`, name));
    }
    const name = String(config.tool ?? "").trim();
    return type === "callTool" && !fed.has(id) && !isKnown(name) ? [unknown(id, "tool", name)] : [];
  });
}

/** The inputs of a sub-flow other than its conversation. */
function handedOver(config: Record<string, unknown>): Port[] {
  const port = (name: string, required: boolean): Port => ({
    name,
    kind: "data",
    type: "any",
    required,
    many: false,
    description: "Goes into the child",
  });
  // A node named in the settings feeds it without an edge.
  if (config.inputSource === "nodeOutput") return [port("value", config.sourceNodeId === undefined)];
  const mapped = Array.isArray(config.mapping) ? (config.mapping as { from?: string }[]) : [];
  const names = new Set(mapped.flatMap(({ from }) => (from ? [from] : [])));
  return [...names].map((name) => port(name, true));
}

const optional = (port: Port): Port => ({ ...port, required: false });

/** Ports that follow from the config: variables of templates, cases, the strand of a portal. */
function portsFor(type: NodeDescriptor, node: Node): Ports {
  const config = node.config ?? {};
  const inputs = [...type.ports.inputs];
  const outputs = withBranches(type, config);
  // What a fallback says is filled from the failure itself.
  const texts = type.type === "catch" ? [] : templates(specOf(type.configSchema), config);
  for (const name of variables(texts.join(" "))) {
    if (inputs.some((port) => port.name === name)) continue;
    inputs.push({
      name,
      kind: "data",
      type: "any",
      required: true,
      many: false,
      description: "A variable of the template",
    });
  }
  if (type.type === "loop") return loopPorts(type, config.kind === "forEach");
  if (type.type === "subflow" && typeof config.inputSource === "string" && config.inputSource !== "lastMessage") {
    return { inputs: [...inputs.map(optional), ...handedOver(config)], outputs };
  }
  if ((type.type === "portalIn" || type.type === "portalOut") && typeof config.kind === "string") {
    const kind = config.kind as "context" | "data" | "tools";
    return { inputs: inputs.map((port) => ({ ...port, kind })), outputs: outputs.map((port) => ({ ...port, kind })) };
  }
  return { inputs, outputs };
}

/** The fields of configs that name outputs of their node, and the outputs that such a node has anyway. */
const BRANCHES: Record<string, { field: string; own: readonly string[] }> = {
  switch: { field: "cases", own: ["default", "error"] },
  classify: { field: "classes", own: ["context", "other", "class", "reason", "error"] },
};

function withBranches(type: NodeDescriptor, config: Record<string, unknown>): Ports["outputs"] {
  const { outputs } = type.ports;
  const branches = BRANCHES[type.type];
  if (!branches || !Array.isArray(config[branches.field])) return outputs;
  const names = branchNames(config[branches.field]).filter((name) => name !== "" && !branches.own.includes(name));
  const description = "Active when this one is chosen";
  return [
    ...[...new Set(names)].map((name) => ({ name, kind: "data" as const, type: "any" as const, description })),
    ...outputs.filter(({ name }) => branches.own.includes(name)),
  ];
}

function branchNames(branches: unknown): string[] {
  if (!Array.isArray(branches)) return [];
  return branches.map((one) => (typeof one === "string" ? one : ((one as { name?: string } | null)?.name ?? "")));
}

/** A loop has the ports of items only where it goes through some. */
function loopPorts(type: NodeDescriptor, forEach: boolean): Ports {
  const { ports } = type;
  const without = <P extends { name: string }>(list: readonly P[], name: string) =>
    list.filter((port) => port.name !== name);
  const items: Port = {
    name: "items",
    kind: "data",
    type: "list",
    required: true,
    many: false,
    description: "Each of them goes through the body",
  };
  const item = { name: "item", kind: "data" as const, type: "any" as const, description: "The item of this iteration" };
  const inner = without(ports.innerOutputs ?? [], "item");
  return {
    ...ports,
    inputs: [...without(ports.inputs, "items"), ...(forEach ? [items] : [])],
    innerOutputs: forEach ? [...inner, item] : inner,
  };
}

/** All templates in a config, located by its schema. */
function templates(spec: Spec, value: unknown): string[] {
  if (spec.kind === "text") return spec.widget === "template" && typeof value === "string" ? [value] : [];
  if (spec.kind === "list") return Array.isArray(value) ? value.flatMap((item) => templates(spec.item, item)) : [];
  if (spec.kind !== "object" || typeof value !== "object" || value === null) return [];
  return spec.fields.flatMap((field) => templates(field.spec, (value as Record<string, unknown>)[field.name]));
}

/** The names in `{{…}}`, helpers and paths left out, in the order of their first use. */
function variables(template: string): string[] {
  const names = [...template.matchAll(/\{\{[#/]?\s*(?:\w+\s+)?([A-Za-z_]\w*)[^}]*\}\}/g)].map(
    (match) => match[1] ?? "",
  );
  return [...new Set(names)].filter((name) => !["if", "each", "this", "else", "unless", "with"].includes(name));
}

function checkEdge(flow: Flow, ports: Record<NodeId, Ports>, id: EdgeId, edge: Edge): Diagnostic[] {
  const error = (code: ErrorCode, message: string, hint?: string): Diagnostic => ({
    code,
    severity: "error",
    message,
    hint,
    edge: id,
    pointer: `/edges/${escapePart(id)}`,
  });
  for (const end of [edge.source, edge.target]) {
    if (!flow.nodes[end])
      return [
        error("edge.dangling", `The edge \`${id}\` leads to a node \`${end}\` that is not there.`, "Delete edge."),
      ];
  }
  const source = ports[edge.source];
  const target = ports[edge.target];
  if (!source || !target) return [];
  const left = sideExit(flow, edge);
  if (left !== undefined)
    return [
      error(
        "loop.side_exit",
        `The edge leaves the loop \`${left}\` by its side.`,
        "Connect it to the loop's `next`, and the loop's `result` to where it leads.",
      ),
    ];
  const ends = endsOfEdge(flow, edge);
  const from = findPort(source, ends.from);
  const to = findPort(target, ends.to);
  if (!from) return [error("edge.unknown_port", `\`${edge.source}\` has no output \`${edge.sourceOutput}\`.`)];
  if (!to) return [error("edge.unknown_port", `\`${edge.target}\` has no input \`${edge.targetInput}\`.`)];
  if (from.kind !== to.kind)
    return [error("edge.wrong_kind", `\`${from.name}\` is a ${from.kind} port, \`${to.name}\` a ${to.kind} port.`)];
  return [];
}

/** The inputs of each node that an edge leads to. */
function fedInputs(flow: Flow): Map<NodeId, Set<string>> {
  const fed = new Map<NodeId, Set<string>>();
  for (const { target, targetInput } of Object.values(flow.edges)) {
    const inputs = fed.get(target);
    if (inputs) inputs.add(targetInput);
    else fed.set(target, new Set([targetInput]));
  }
  return fed;
}

function checkInputs(id: NodeId, inputs: Ports["inputs"], fed: ReadonlySet<string> = new Set()): Diagnostic[] {
  return inputs
    .filter((port) => port.required && !fed.has(port.name))
    .map((port) => ({
      code: "port.unfed",
      severity: "error" as const,
      message: `The input \`${port.name}\` is required, but nothing feeds it.`,
      hint: `Connect an edge to \`${port.name}\`.`,
      node: id,
      pointer: `/nodes/${escapePart(id)}`,
    }));
}

/** The nodes that loops name as the agents of their summaries: they are called with a prompt, so nothing feeds them. */
function summarizers(flow: Flow): Set<unknown> {
  const managements = Object.values(flow.nodes).map(({ config }) => config?.history_management);
  return new Set(
    managements.map(
      (management) => (management as { summarizer_agent?: unknown } | null | undefined)?.summarizer_agent,
    ),
  );
}

/** Edges that close a cycle, walking from the nodes nothing feeds, in the order of the ids. */
function findBackEdges(flow: Flow): EdgeId[] {
  const out = new Map<NodeId, [EdgeId, NodeId][]>();
  const fed = new Set<NodeId>();
  for (const [id, edge] of Object.entries(flow.edges)) {
    if (!flow.nodes[edge.source] || !flow.nodes[edge.target]) continue;
    // An edge from a body to its loop ends there, and begins no cycle.
    if (containerOf(flow, edge.source) === edge.target) continue;
    out.set(edge.source, [...(out.get(edge.source) ?? []), [id, edge.target]]);
    fed.add(edge.target);
  }
  const state = new Map<NodeId, "open" | "done">();
  const back: EdgeId[] = [];
  const ids = Object.keys(flow.nodes).sort();
  const roots = [...ids.filter((id) => !fed.has(id)), ...ids];
  for (const root of roots) {
    if (state.has(root)) continue;
    state.set(root, "open");
    const stack = [{ node: root, next: 0 }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const edge = out.get(top.node)?.[top.next];
      top.next += 1;
      if (!edge) {
        state.set(top.node, "done");
        stack.pop();
      } else if (state.get(edge[1]) === "open") back.push(edge[0]);
      else if (!state.has(edge[1])) {
        state.set(edge[1], "open");
        stack.push({ node: edge[1], next: 0 });
      }
    }
  }
  return back;
}

/** Which node makes the context that each node works in: carried along context edges. */
function findContexts(flow: Flow, ports: Record<NodeId, Ports>, back: ReadonlySet<EdgeId>): Record<NodeId, NodeId> {
  const contexts: Record<NodeId, NodeId> = {};
  for (const [id, node] of Object.entries(flow.nodes)) {
    if (node.type === "contextStart" || node.type === "newContext") contexts[id] = id;
  }
  const carrying = Object.entries(flow.edges).filter(
    ([id, edge]) => !back.has(id) && findPort(ports[edge.target], endsOfEdge(flow, edge).to)?.kind === "context",
  );
  for (let changed = true; changed; ) {
    changed = false;
    for (const [, edge] of carrying) {
      const maker = contexts[edge.source];
      if (maker === undefined || contexts[edge.target] !== undefined) continue;
      contexts[edge.target] = maker;
      changed = true;
    }
  }
  return contexts;
}

function escapePart(part: string): string {
  return part.replace(/~/g, "~0").replace(/\//g, "~1");
}
