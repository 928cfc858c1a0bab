/** The node types the host knows, loaded once. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Category, Node, NodeDescriptor } from "@/bindings";
import { CATEGORIES } from "@/bindings/constants";
import { TEXTS } from "@/flow/texts";
import type { Host } from "@/ipc";

/** The node types that people can add, and each type by its name and its aliases. */
export type NodeTypes = { list: readonly NodeDescriptor[]; byType: ReadonlyMap<string, NodeDescriptor> };

export const NO_NODE_TYPES: NodeTypes = { list: [], byType: new Map() };

export class NodeTypeRegistry {
  readonly store: StoreApi<NodeTypes> = createStore<NodeTypes>(() => NO_NODE_TYPES);

  constructor(readonly host: Host) {}

  get all(): NodeTypes {
    return this.store.getState();
  }

  /** The description of a node type, by its name or an alias; nothing for a type this build does not know. */
  get(type: string): NodeDescriptor | undefined {
    return this.all.byType.get(type);
  }

  /** Asks the host for its node types. */
  async load(): Promise<void> {
    this.set(await this.host.call("nodes.list", {}));
  }

  set(list: readonly NodeDescriptor[]): void {
    this.store.setState(indexNodeTypes(list));
  }
}

export function indexNodeTypes(list: readonly NodeDescriptor[]): NodeTypes {
  const byType = new Map(list.flatMap((type) => (type.aliases ?? []).map((alias) => [alias, type] as const)));
  for (const type of list) byType.set(type.type, type);
  return { list: list.filter((type) => type.editor.onlyImported !== true), byType };
}

/** The config field with the Markdown of a comment; undefined for nodes of any other kind. Comments never run. */
export function commentField(types: NodeTypes, node: Node | undefined): string | undefined {
  return node && types.byType.get(node.type)?.editor.commentField;
}

/** The config field with the path of the flow that a node runs; undefined for nodes that run none. */
export function childFlowField(types: NodeTypes, node: Node | undefined): string | undefined {
  return node && types.byType.get(node.type)?.editor.childFlowField;
}

export const PALETTE_SECTIONS: readonly { id: Category; title: string }[] = CATEGORIES.map((id) => ({
  id,
  title: TEXTS[id],
}));
