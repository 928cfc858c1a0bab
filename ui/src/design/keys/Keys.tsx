import { formatKeys } from "./keys";

/** A shortcut as this platform writes it. */
export function Keys({ keys }: { keys: string }) {
  return (
    <kbd className="whitespace-nowrap rounded-sm bg-bg-3 px-1 font-mono text-2xs text-fg-2">{formatKeys(keys)}</kbd>
  );
}
