/** Every text of this part of the window. */
export const TEXTS = {
  searchFlows: "Search across flows",
  placeholder: "Search nodes of all flows: titles, types, prompts",
  whatIsSearched: "Open tabs, recent flows, flows in their folders, and templates are searched.",
  noMatches: "No matches",
  reading: (read: number, total: number) => `Reading ${read} of ${total} flows…`,
  listing: "Looking for flows…",
  found: (nodes: number, flows: number) =>
    `${nodes} ${nodes === 1 ? "node" : "nodes"} in ${flows} ${flows === 1 ? "flow" : "flows"}`,
  firstOf: (shown: number, nodes: number) => `First ${shown} of ${nodes} nodes. Type more to narrow`,
  unreadable: (count: number) => `${count} ${count === 1 ? "flow" : "flows"} couldn’t be read`,
  template: "Template",
  notSaved: "Not saved",
  openTab: "Open",
  openUnsaved: "Open, unsaved changes",
} as const;
