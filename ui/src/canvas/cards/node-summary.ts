/** The one-line summary on a node's card, rendered from the `card` of its type's descriptor. */
import type { CardPart, Node, NodeDescriptor } from "@/bindings";
import { formatJson } from "@/design/json/exact-json";

type Config = Record<string, unknown>;

/** The node that makes the context a node works in, with the descriptor of its type. */
export type ContextMaker = { node: Node; type: NodeDescriptor | undefined };

export function nodeSummary(node: Node, type: NodeDescriptor | undefined, maker?: ContextMaker): string {
  if (!type) return `Unknown type “${node.type}”`;
  return cardLine(node, type, maker) || type.summary;
}

/** The first line of the card that is not empty; an empty string if all are. */
function cardLine(node: Node, type: NodeDescriptor, maker: ContextMaker | undefined): string {
  const config = { ...defaultConfig(type), ...node.config };
  for (const parts of type.card.lines) {
    const line = parts.map((part) => renderPart(part, config, maker)).filter(Boolean);
    if (line.length > 0) return line.join(" · ");
  }
  return "";
}

function renderPart(part: CardPart, config: Config, maker: ContextMaker | undefined): string {
  switch (part.kind) {
    case "literal":
      return part.text;
    case "text":
      return withPrefix(part.prefix, firstLine(asText(fieldAt(config, part.field))));
    case "quoted": {
      const line = firstLine(fieldAt(config, part.field));
      return line === "" ? "" : `“${line}”`;
    }
    case "number": {
      const value = fieldAt(config, part.field);
      return typeof value === "number" ? withPrefix(part.prefix, String(value)) : "";
    }
    case "duration": {
      const ms = fieldAt(config, part.field);
      if (typeof ms !== "number") return "";
      return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
    }
    case "list": {
      const value = fieldAt(config, part.field);
      return Array.isArray(value) ? value.join(", ") : "";
    }
    case "count": {
      const value = fieldAt(config, part.field);
      if (!Array.isArray(value) || value.length === 0) return "";
      return `${value.length} ${value.length === 1 ? part.one : part.many}`;
    }
    case "contextMaker":
      // A maker has no context of its own, so this ends after one step.
      return maker?.type ? cardLine(maker.node, maker.type, undefined) : "";
  }
}

/** The values a config has without being set, from its schema. */
function defaultConfig(type: NodeDescriptor): Config {
  const { properties } = type.configSchema;
  if (typeof properties !== "object" || properties === null) return {};
  const fields = Object.entries(properties as Record<string, { default?: unknown }>);
  return Object.fromEntries(
    fields.flatMap(([name, { default: value }]) => (value === undefined || value === null ? [] : [[name, value]])),
  );
}

/** The value at a dotted path of a config. */
function fieldAt(config: Config, path: string): unknown {
  let value: unknown = config;
  for (const key of path.split(".")) {
    value = typeof value === "object" && value !== null ? (value as Config)[key] : undefined;
  }
  return value;
}

/** A text as it is, any other value as JSON, nothing for none. */
function asText(value: unknown): unknown {
  return value === undefined || value === null || typeof value === "string" ? value : formatJson(value);
}

function firstLine(value: unknown): string {
  return typeof value === "string" ? (value.trim().split("\n", 1)[0] ?? "") : "";
}

function withPrefix(prefix: string | undefined, text: string): string {
  return prefix === undefined || text === "" ? text : `${prefix} ${text}`;
}
