/** The one line on a card that says what its node does with this config. */
import type { Node, NodeDescriptor } from "@/bindings";

type Config = Record<string, unknown>;

/** Lines for the node types whose config says more than one word about them. Null: nothing to tell, take the general one. */
const LINES: Record<string, (config: Config) => string | null> = {
  contextStart: modelOf,
  newContext: (config) => join("isolated", config.provider, config.model),
  chat: (config) =>
    join(config.overrideProvider, config.overrideModel, number("temp", config.temperature)) ?? quoted(config.prompt),
  userInput: (config) => quoted(config.prompt),
  approval: (config) => quoted(config.prompt),
  tools: (config) => (Array.isArray(config.tools) && config.tools.length > 0 ? config.tools.join(", ") : null),
  portalIn: (config) => channel("to", config.channel),
  portalOut: (config) => channel("from", config.channel),
  switch: (config) =>
    Array.isArray(config.cases) ? `${config.cases.length} ${config.cases.length === 1 ? "case" : "cases"}` : null,
  delay: (config) => duration(config.ms),
  subflow: (config) => (typeof config.file === "string" ? config.file : (named(config.flow) ?? null)),
};

/** What a card says below its name. `maker` makes the context it works in, `makerType` is that node's type. */
export function summaryOf(
  node: Node,
  type: NodeDescriptor | undefined,
  maker?: Node,
  makerType?: NodeDescriptor,
): string {
  const config = { ...defaultsOf(type), ...node.config };
  return (
    LINES[type?.type ?? node.type]?.(config) ||
    general(config) ||
    (type?.category === "models" && maker ? modelOf({ ...defaultsOf(makerType), ...maker.config }) : null) ||
    type?.summary ||
    `Unknown type “${node.type}”`
  );
}

/** What a fresh node of the type is set to, as its schema says. */
function defaultsOf(type: NodeDescriptor | undefined): Config {
  const properties = type?.configSchema.properties;
  if (typeof properties !== "object" || properties === null) return {};
  const found = Object.entries(properties as Record<string, { default?: unknown }>);
  return Object.fromEntries(
    found.flatMap(([name, { default: value }]) => (value === undefined || value === null ? [] : [[name, value]])),
  );
}

/** The first text that the config holds. */
function general(config: Config): string | null {
  for (const value of Object.values(config)) {
    const line = typeof value === "string" ? firstLine(value) : "";
    if (line !== "") return line;
  }
  return null;
}

/** The model a context begins with. */
function modelOf(config: Config): string | null {
  return join(config.provider, config.model);
}

function join(...parts: unknown[]): string | null {
  const said = parts.filter((part): part is string => typeof part === "string" && part !== "");
  return said.length > 0 ? said.join(" · ") : null;
}

function quoted(text: unknown): string | null {
  const line = typeof text === "string" ? firstLine(text) : "";
  return line === "" ? null : `“${line}”`;
}

function number(name: string, value: unknown): string | undefined {
  return typeof value === "number" ? `${name} ${value}` : undefined;
}

function channel(word: string, name: unknown): string | null {
  return typeof name === "string" && name !== "" ? `${word} ${name}` : null;
}

function duration(ms: unknown): string | null {
  if (typeof ms !== "number") return null;
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}

/** The name of a flow inside of a config. */
function named(flow: unknown): string | undefined {
  const name = (flow as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" && name !== "" ? name : undefined;
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
