/** Every text of the guide's page; the guide itself is in `docs/`. */
export const TEXTS = {
  guide: "Guide",
  pages: "Pages of the guide",
  search: "Search the guide",
  results: "Search results",
  resultCount: (count: number) => (count === 1 ? "1 match" : `${count} matches`),
  noMatches: "No matches",
  noMatchesHint: "All words have to be in one section.",
  back: "Back",
  forward: "Forward",
  close: "Close guide",
  previousPage: "Previous page",
  nextPage: "Next page",
  addressCopied: (address: string) => `Address copied: ${address}`,
} as const;
