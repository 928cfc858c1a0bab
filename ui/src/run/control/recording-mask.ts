/** The names that a recording has placeholders for. */
export type RecordingMask = { mask: readonly string[] };
