/** The order of a dialog's buttons: the main one is on the right, as in GTK and macOS; on Windows it is on the left. */
const RANK = { cancel: 0, danger: 1, plain: 2, main: 3 } as const;

type Ordered = { id: string; kind: "main" | "plain" | "danger" };

export function inPlatformOrder<A extends Ordered>(actions: readonly A[], windows = isWindows()): A[] {
  const sorted = [...actions].sort((a, b) => rankOf(a) - rankOf(b));
  return windows ? sorted.reverse() : sorted;
}

function rankOf({ id, kind }: Ordered): number {
  return id === "cancel" ? RANK.cancel : RANK[kind];
}

function isWindows(): boolean {
  return /^Win/.test(navigator.platform);
}
