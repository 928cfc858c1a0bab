/** The images and files that go with the runs of each document, by the nodes that take them. Nothing of them is in the flow. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Attachment, NodeId } from "@/bindings";
import { ATTACH_PORT } from "@/bindings/constants";
import type { Args } from "@/ipc";

type NodeFiles = Readonly<Record<NodeId, readonly Attachment[]>>;
type State = Readonly<Record<string, NodeFiles>>;

export class RunFiles {
  /** By the keys of the documents. */
  readonly store: StoreApi<State> = createStore<State>(() => ({}));

  change(document: string, node: NodeId, change: (files: readonly Attachment[]) => readonly Attachment[]): void {
    this.store.setState((all) => {
      const nodes = all[document] ?? {};
      return { [document]: { ...nodes, [node]: change(nodes[node] ?? []) } };
    });
  }

  /** What a run of the document gets: nothing for nodes that are gone, or that an edge gives files to. */
  overrides(document: string, flow: Args<"run.start">["flow"]): Args<"run.start">["overrides"] {
    const fed = new Set(
      Object.values(flow.edges).flatMap(({ target, targetInput }) => (targetInput === ATTACH_PORT ? [target] : [])),
    );
    const nodes = Object.entries(this.store.getState()[document] ?? {});
    const taken = nodes.filter(([node, files]) => files.length > 0 && node in flow.nodes && !fed.has(node));
    return taken.length === 0
      ? undefined
      : Object.fromEntries(taken.map(([node, files]) => [node, { [ATTACH_PORT]: files }]));
  }

  forget(document: string): void {
    this.store.setState(({ [document]: _, ...others }) => others, true);
  }
}
