/** The node types the host knows, loaded once. */
import { create } from "zustand";
import type { Category, Node, NodeDescriptor } from "@/bindings";
import { call } from "@/ipc";

type NodeTypes = { list: readonly NodeDescriptor[]; byType: ReadonlyMap<string, NodeDescriptor> };

export const nodeTypesStore = create<NodeTypes>(() => ({ list: [], byType: new Map() }));

export const useNodeTypes = nodeTypesStore;

/** Asks the host for its node types. */
export async function loadNodeTypes(): Promise<void> {
  setNodeTypes(await call("nodes.list", {}));
}

export function setNodeTypes(list: readonly NodeDescriptor[]): void {
  const byType = new Map(list.flatMap((type) => (type.aliases ?? []).map((alias) => [alias, type] as const)));
  for (const type of list) byType.set(type.type, type);
  nodeTypesStore.setState({ list, byType });
}

/** The description of a node type, by its name or an alias; nothing for a type this build does not know. */
export function nodeType(type: string): NodeDescriptor | undefined {
  return nodeTypesStore.getState().byType.get(type);
}

/** The config field with the Markdown of a comment; undefined for nodes of any other kind. Comments never run. */
export function commentField(node: Node | undefined): string | undefined {
  return node && nodeType(node.type)?.editor.commentField;
}

/** The config field with the path of the flow that a node runs; undefined for nodes that run none. */
export function childFlowField(node: Node | undefined): string | undefined {
  return node && nodeType(node.type)?.editor.childFlowField;
}

export const CATEGORIES: readonly { id: Category; title: string }[] = [
  { id: "contexts", title: "Contexts" },
  { id: "people", title: "People" },
  { id: "models", title: "Models" },
  { id: "tools", title: "Tools" },
  { id: "data", title: "Data" },
  { id: "control", title: "Control" },
  { id: "wiring", title: "Wiring" },
];
