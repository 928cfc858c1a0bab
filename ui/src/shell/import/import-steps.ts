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

/**
 * The node on the canvas that a step is about: of several, the placeholder, or else the one with the name in the file, which others
 * only prepare values for. Nothing if no node was made, or if all were deleted.
 */
export function nodeOfStep(
  step: Pick<ImportStep, "name" | "nodes"> & { outcome: ImportStep["outcome"] | "same" },
  flow: Flow,
): NodeId | undefined {
  const made = step.nodes.filter((node) => Object.hasOwn(flow.nodes, node));
  const isPlaceholder = (node: NodeId) => step.outcome === "placeholder" && flow.nodes[node]?.type === "placeholder";
  const hasName = (node: NodeId) => flow.nodes[node]?.title === step.name;
  return (
    made.find((node) => isPlaceholder(node) && hasName(node)) ??
    made.find(isPlaceholder) ??
    made.find(hasName) ??
    made[0]
  );
}
