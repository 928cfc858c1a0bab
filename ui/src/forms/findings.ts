/** Maps findings to fields by the JSON pointers from `flow.check`. */
import type { Diagnostic } from "@/bindings";

export type Path = readonly (string | number)[];

/** The path below a node's config that a finding points at; nothing if it points elsewhere. */
export function configPath(found: Diagnostic): string[] | undefined {
  const parts = found.pointer
    .split("/")
    .slice(1)
    .map((part) => part.replace(/~1/g, "/").replace(/~0/g, "~"));
  return parts[0] === "nodes" && parts[1] === found.node && parts[2] === "config" ? parts.slice(3) : undefined;
}

/** The findings for exactly this field. */
export function findingsAt(all: readonly Diagnostic[], path: Path): Diagnostic[] {
  return all.filter((found) => {
    const at = configPath(found);
    return at !== undefined && at.length === path.length && at.every((part, index) => part === String(path[index]));
  });
}
