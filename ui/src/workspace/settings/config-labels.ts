/** Names for people of the values that can be set in several places. */
const LABELS: Readonly<Record<string, string>> = {
  maxToolRounds: "Max tool rounds",
  timeoutMs: "Timeout (ms)",
  "retry.attempts": "Max attempts",
  "retry.backoffMs": "Initial delay (ms)",
  "retry.maxBackoffMs": "Max delay (ms)",
  "retry.jitter": "Jitter",
  max_iterations: "Max iterations of loops",
  "history_management.strategy": "Loop history",
  "history_management.max_tokens": "Max tokens of loop history",
  "history_management.max_turns": "Max turns of loop history",
  "history_management.summarize_ratio": "Share of turns to summarize",
  "memory.recentTurns": "Recent turns in memory",
  maxConcurrency: "Max concurrency",
  maxUnattendedEpochs: "Max unattended iterations",
};

/** The label of a key's field; a key that has none yet is its own. */
export function configLabel(key: string): string {
  return LABELS[key] ?? key;
}
