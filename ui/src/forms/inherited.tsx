/** What holds for the fields that are left empty, and where it comes from. */
import { createContext, type ReactNode, useContext, useMemo } from "react";
import type { ConfigSource, NodeId, ResolvedConfig } from "@/bindings";
import type { Field, Spec } from "@/flow/node-types/config-spec";
import type { Path } from "./findings";

/** What holds, by the JSON pointer of its field in the node, or in the flow's `settings`. */
export type Inherited = ReadonlyMap<string, ResolvedConfig>;

type Fields = { values: Inherited; prefix: string };

const InheritedContext = createContext<Fields>({ values: new Map(), prefix: "" });

/** The values of a node, or of the flow, that come from somewhere else. */
export function inheritedBy(resolved: readonly ResolvedConfig[], node: NodeId | undefined): Inherited {
  const values = new Map<string, ResolvedConfig>();
  for (const one of resolved) {
    const pointer =
      node === undefined ? one.layers.find((layer) => layer.source.layer === "flow")?.pointer : one.pointer;
    if (pointer !== undefined && !isOwn(one.source, node)) values.set(pointer, one);
  }
  return values;
}

function isOwn(source: ConfigSource, node: NodeId | undefined): boolean {
  if (node === undefined) return source.layer === "flow";
  return "node" in source && source.node === node;
}

/** Gives the fields below it what they inherit. `prefix`: where the paths of the fields begin, as a JSON pointer. */
export function InheritedValues({
  values,
  prefix,
  children,
}: {
  values: Inherited;
  prefix: string;
  children: ReactNode;
}) {
  const fields = useMemo(() => ({ values, prefix }), [values, prefix]);
  return <InheritedContext value={fields}>{children}</InheritedContext>;
}

/** What the field at a path inherits, if it inherits something. */
export function useInherited(path: Path): ResolvedConfig | undefined {
  const { values, prefix } = useContext(InheritedContext);
  return path.length === 0 ? undefined : values.get(`${prefix}/${path.join("/")}`);
}

/**
 * A spec with the inherited values as defaults: an empty field shows its own, and choosing the built-in default sets it
 * where something else would be inherited.
 */
export function withInherited(spec: Spec, values: Inherited, pointer: string): Spec {
  if (spec.kind === "object") {
    const fields = spec.fields.map((field): Field => {
      const inner = withInherited(field.spec, values, `${pointer}/${field.name}`);
      return inner === field.spec ? field : { ...field, spec: inner };
    });
    return fields.some((field, at) => field !== spec.fields[at]) ? { ...spec, fields } : spec;
  }
  const found = values.get(pointer);
  if (found?.value === undefined || found.source.layer === "builtIn") return spec;
  return { ...spec, default: found.value };
}
