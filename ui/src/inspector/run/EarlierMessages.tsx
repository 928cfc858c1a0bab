import { formatCount } from "@/run/values/format";
import { TEXTS } from "./texts";

/** Shows the messages before those that a long list begins with. Nothing if there are none. */
export function EarlierMessages({ count, onShow }: { count: number; onShow: () => void }) {
  if (count === 0) return null;
  return (
    <button
      type="button"
      className="mb-1.5 w-full rounded-lg border border-line border-dashed px-2 py-1 text-fg-3 text-xs hover:border-line-2 hover:text-fg"
      onClick={onShow}
    >
      {TEXTS.showEarlierMessages(formatCount(count))}
    </button>
  );
}
