/**
 * Names by which nodes of one flow find each other without an edge: channels of portals and IDs of contexts. Nodes that come into
 * another flow must not meet nodes of the same names there.
 */
import type { Flow, Node } from "@/bindings";

/** The config field of each node type that has such a name, and its default. Types that share a `space` find each other. */
const NAMES: Readonly<Record<string, { space: string; field: string; default?: string }>> = {
  portalIn: { space: "channel", field: "channel", default: "portal" },
  portalOut: { space: "channel", field: "channel", default: "portal" },
  contextStart: { space: "context", field: "contextId", default: "main" },
  injectMessages: { space: "context", field: "contextId" },
  setContext: { space: "context", field: "contextId" },
};

function nameOf(node: Node): { space: string; field: string; name: string } | undefined {
  const kind = NAMES[node.type];
  const name = kind && (node.config?.[kind.field] ?? kind.default);
  return kind && typeof name === "string" ? { ...kind, name } : undefined;
}

/** The flow with new names where `around` has the same ones. */
export function withOwnNames(flow: Flow, around: Flow): Flow {
  const key = (space: string, name: string) => `${space} ${name}`;
  const namesIn = ({ nodes }: Flow) =>
    Object.values(nodes).flatMap((node) => {
      const found = nameOf(node);
      return found ? [key(found.space, found.name)] : [];
    });
  const others = new Set(namesIn(around));
  const taken = new Set([...others, ...namesIn(flow)]);
  const renamed = new Map<string, string>();
  const nodes = { ...flow.nodes };
  for (const [id, node] of Object.entries(flow.nodes)) {
    const found = nameOf(node);
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
