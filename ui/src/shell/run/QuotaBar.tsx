/** How much of its quotas the run has used: the fullest as a bar, all of them in words. */

import { displayedFlow } from "@/flow/document/flow-state";
import { describeQuota, fullestQuota, quotaLimit, quotaShare, reservedShare } from "@/run/values/quotas";
import { TEXTS } from "@/shell/texts";
import { useFlow } from "@/workspace/context";
import { useRunHead } from "@/workspace/run-hooks";

/** From this share on, the bar warns. */
const NEARLY_FULL = 0.8;

export function QuotaBar() {
  const quotas = useRunHead((head) => head.quotas);
  const nodes = useFlow((state) => displayedFlow(state).nodes);
  const fullest = fullestQuota(quotas ?? []);
  if (!quotas || !fullest) return null;
  const words = quotas.map((quota) => describeQuota(quota, (node) => nodes[node]?.title ?? node));
  const used = quotaShare(fullest);
  const reserved = reservedShare(fullest);
  const percent = Math.round(used * 100);
  const color = used >= 1 ? "bg-bad" : used >= NEARLY_FULL ? "bg-wait" : "bg-ok";
  return (
    <span
      className="grid min-w-[132px] flex-none gap-1 @max-[1100px]:min-w-16"
      title={words.join("\n")}
      data-testid="quota-bar"
    >
      <meter className="sr-only" aria-label={TEXTS.quotaUsed} min={0} max={100} value={percent}>
        {words.join(". ")}
      </meter>
      <span className="flex justify-between gap-2" aria-hidden="true">
        <span>{used > 0 && percent === 0 ? "< 1" : percent} %</span>
        <span className="text-fg-3 @max-[1100px]:hidden">{quotaLimit(fullest)}</span>
      </span>
      <span className="flex h-1 overflow-hidden rounded-sm bg-bg-3">
        <span className={color} style={{ width: `${(used - reserved) * 100}%` }} />
        <span className={`${color} opacity-50`} style={{ width: `${reserved * 100}%` }} />
      </span>
    </span>
  );
}
