/** Every text of this part of the window. */
export const TEXTS = {
  nodeTypes: "Node types",
  searchCount: (count: string | number) => `Search ${count} node types`,
  searchNodeTypes: "Search node types",
  clearSearch: "Clear search",
  noNodeTypeMatches: (query: string | number) => `No node type matches “${query}”`,
  tryAnotherWordExample: "Try another word, for example “ask”, “route” or “template”.",
  dragCanvasPressEnter: (summary: string | number) => `${summary}. Drag to the canvas or press Enter.`,
} as const;
