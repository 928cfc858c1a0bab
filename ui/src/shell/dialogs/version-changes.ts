/** How the difference between the shown flow and a version of it reads. */
import type { Flow, FlowDiff } from "@/bindings";
import { equalJson } from "@/design/json/equal-json";
import { TEXTS } from "@/shell/texts";

/** What restoring `to` does to `from`, whose difference is `diff`. Empty if they are equal. */
export function describeChanges({ changes }: FlowDiff, from: Flow, to: Flow): string {
  const added: string[] = [];
  const removed: string[] = [];
  const renamed: string[] = [];
  const changed = new Set<string>();
  const rest = new Set<string>();
  let edges = 0;
  const nameIn = (flow: Flow, id: string) => flow.nodes[id]?.title || id;
  for (const change of changes) {
    if (change.kind === "nodeAdded") added.push(nameIn(to, change.node));
    else if (change.kind === "nodeRemoved") removed.push(nameIn(from, change.node));
    else if (change.kind === "nodeRenamed") renamed.push(`${change.from} → ${change.to}`);
    else if (change.kind === "node") changed.add(nameIn(to, change.node));
    else if (change.kind === "flow") rest.add(change.change.pointer.split("/")[1] ?? "");
    else edges += 1;
  }
  const part = (word: string, names: Iterable<string>) => {
    const list = [...names].join(", ");
    return list ? `${word} ${list}` : "";
  };
  const parts = [
    part("Adds", added),
    part("Removes", removed),
    part("Renames", renamed),
    part("Changes", changed),
    edges > 0 ? `${edges} ${edges === 1 ? "edge differs" : "edges differ"}` : "",
    part("Other", rest),
  ].filter(Boolean);
  if (parts.length === 0 && !equalJson(from, to)) return TEXTS.otherLayout;
  return parts.join(" · ");
}
