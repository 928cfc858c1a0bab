import { formatCount } from "@/run/values/format";
import { Cut } from "./Cut";
import { TEXTS } from "./texts";

/** Shows the messages before the beginning of a long list. Nothing if there are none. */
export function EarlierMessages({ count, onShow }: { count: number; onShow: () => void }) {
  if (count === 0) return null;
  return (
    <div className="mb-1.5">
      <Cut onClick={onShow}>{TEXTS.showEarlierMessages(formatCount(count))}</Cut>
    </div>
  );
}
