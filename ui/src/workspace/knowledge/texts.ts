/** Every text of this part of the window. */
export const TEXTS = {
  openSource: (source: string) => `Open ${source}`,
  leftOut: "Left out",
  cap: (tokens: string, room: string) => `Takes ${tokens} tokens, ${room} were left`,
  duplicate: (of: number) => `Same text as passage ${of}`,
  line: (line: number) => `line ${line}`,
  tokens: (tokens: string) => `${tokens} tokens`,
  matched: { words: "by words", meaning: "by meaning", both: "by words and meaning" },
  close: "Close",
  loading: "Loading…",
  score: (score: string) => `Score ${score}`,
} as const;
