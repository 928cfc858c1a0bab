/**
 * Names by which nodes of one flow find each other without an edge: channels of portals and IDs of contexts. Nodes that come into
 * another flow must not meet nodes of the same names there.
 */
import type { Flow, Node } from "@/bindings";
import type { Schema } from "@/flow/node-types/config-spec";
import type { NodeTypes } from "@/flow/node-types/node-types";

type NameKind = { space: string; field: string };

/** The config field of each node type that has such a name. Types that share a `space` find each other. */
const NAMES: Readonly<Record<string, NameKind>> = {
  portalIn: { space: "channel", field: "channel" },
  portalOut: { space: "channel", field: "channel" },
  contextStart: { space: "context", field: "contextId" },
  injectMessages: { space: "context", field: "contextId" },
  setContext: { space: "context", field: "contextId" },
};

/** The name by which others find the node, or by which it finds others. */
export function linkName(types: NodeTypes, node: Node): (NameKind & { name: string }) | undefined {
  const kind = NAMES[node.type];
  const name = kind && (node.config?.[kind.field] ?? defaultOf(types, node.type, kind.field));
  return kind && typeof name === "string" ? { ...kind, name } : undefined;
}

function defaultOf(types: NodeTypes, type: string, field: string): unknown {
  const properties = types.byType.get(type)?.configSchema.properties as Record<string, Schema> | undefined;
  return properties?.[field]?.default;
}

/** The flow with new names where `around` has the same ones. */
export function withOwnNames(types: NodeTypes, flow: Flow, around: Flow): Flow {
  const key = (space: string, name: string) => `${space} ${name}`;
  const namesIn = ({ nodes }: Flow) =>
    Object.values(nodes).flatMap((node) => {
      const found = linkName(types, node);
      return found ? [key(found.space, found.name)] : [];
    });
  const others = new Set(namesIn(around));
  const taken = new Set([...others, ...namesIn(flow)]);
  const renamed = new Map<string, string>();
  const nodes = { ...flow.nodes };
  for (const [id, node] of Object.entries(flow.nodes)) {
    const found = linkName(types, node);
    if (!found || !others.has(key(found.space, found.name))) continue;
    const { space, field, name } = found;
    let fresh = renamed.get(key(space, name));
    for (let number = 2; fresh === undefined; number += 1) {
      const candidate = `${name}-${number}`;
      if (!taken.has(key(space, candidate))) fresh = candidate;
    }
    renamed.set(key(space, name), fresh);
    taken.add(key(space, fresh));
    nodes[id] = { ...node, config: { ...node.config, [field]: fresh } };
  }
  return renamed.size === 0 ? flow : { ...flow, nodes };
}
