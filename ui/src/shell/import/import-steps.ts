import type { Flow, ImportedNode, ImportReport, NodeId } from "@/bindings";

/** A place of an imported flow that is not as in the original. */
export type ImportStep = {
  /** The name in the file; of an edge, the names of its ends. */
  name: string;
  /** What became of the node, or `edge` for an edge that is lost. */
  outcome: Exclude<ImportedNode["outcome"], "same"> | "edge";
  /** How it differs, or why it is lost. */
  text: string;
  /** The nodes of the flow that it became or, of an edge, those that its ends became. */
  nodes: readonly NodeId[];
};

/** The places that are not as in the original, in the order of the file. */
export function importSteps({ nodes, edges }: ImportReport): ImportStep[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const end = (id: string): Pick<ImportedNode, "name" | "nodes"> => {
    const node = byId.get(id);
    return { name: node?.name || id, nodes: node?.nodes ?? [] };
  };
  return [
    ...nodes.flatMap(({ id, name, outcome, lost, nodes: made }) =>
      outcome === "same" ? [] : [{ name: name || id, outcome, text: lost.join(" "), nodes: made }],
    ),
    ...edges.flatMap(({ source, target, lost }) => {
      if (lost === undefined) return [];
      const [from, to] = [end(source), end(target)];
      return [
        {
          name: `${from.name} → ${to.name}`,
          outcome: "edge" as const,
          text: lost,
          nodes: [...to.nodes, ...from.nodes],
        },
      ];
    }),
  ];
}

/** The node on the canvas that a step is about. Nothing if no node was made, or if it was deleted. */
export function nodeOfStep(step: Pick<ImportStep, "nodes">, flow: Flow): NodeId | undefined {
  return step.nodes.find((node) => Object.hasOwn(flow.nodes, node));
}
