/** What people call the nodes and contexts of the run that is shown. */
import type { ContextId, Node, NodeId } from "@/bindings";
import { MAIN_CONTEXT } from "@/bindings/constants";
import type { FlowEditor } from "@/flow/document/editor";
import { displayedFlow } from "@/flow/document/flow-state";
import type { NodeTypeRegistry } from "@/flow/node-types/node-types";
import type { ActiveRun } from "@/run/live/active-run";

export class NodeNames {
  constructor(
    readonly editor: FlowEditor,
    readonly nodeTypes: NodeTypeRegistry,
    readonly activeRun: ActiveRun,
  ) {}

  /** A node's title, or the title of its type, or its id. Also of a node that was deleted since the run. */
  nameOf(id: NodeId): string {
    const node = this.#find(id);
    if (!node) return id;
    return node.title || this.nodeTypes.get(node.type)?.title || id;
  }

  /** Names for contexts that are listed together: the nodes that made them, or their ids where names would be the same. */
  ofContexts(contexts: readonly { id: ContextId; maker: NodeId }[]): Map<ContextId, string> {
    const names = contexts.map(({ id, maker }) => (id === MAIN_CONTEXT ? MAIN_CONTEXT : this.nameOf(maker)));
    const duplicates = new Set(names.filter((name, at) => names.indexOf(name) !== at));
    return new Map(contexts.map(({ id }, at) => [id, duplicates.has(names[at] ?? "") ? id : (names[at] ?? id)]));
  }

  typeOf(id: NodeId): string | undefined {
    return this.#find(id)?.type;
  }

  #find(id: NodeId): Node | undefined {
    return displayedFlow(this.editor.state).nodes[id] ?? this.activeRun.session?.flow.nodes[id];
  }
}
