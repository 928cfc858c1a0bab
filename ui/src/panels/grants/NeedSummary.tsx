import type { NeedStatus } from "@/bindings";
import { reasonsOf, targetName } from "@/run/grants/grants";
import { TEXTS } from "./texts";

/** A need by the name that people know it by. */
export function needName({ need }: NeedStatus): string {
  return need.target === "host=*" ? TEXTS.anyHost : targetName(need.target);
}

/** What a need is, whether it changed since it was decided, and what it is for. */
export function NeedSummary({ status }: { status: NeedStatus }) {
  const { need, state, rule } = status;
  const { whats, nodes } = reasonsOf(need, TEXTS.flowSettings);
  return (
    <>
      <p className="flex items-start gap-1.5">
        <span className="min-w-0 break-all font-mono text-xs">{needName(status)}</span>
        {state === "changed" ? (
          <span className="shrink-0 rounded border border-wait px-1 text-wait text-xs">{TEXTS.changed}</span>
        ) : null}
      </p>
      {need.seen ? <p className="break-all font-mono text-fg-3 text-xs">{need.seen}</p> : null}
      {rule?.seen && rule.seen !== need.seen ? (
        <p className="break-all text-fg-3 text-xs">{TEXTS.wasBefore(rule.seen)}</p>
      ) : null}
      <p className="text-fg-2 text-xs">{TEXTS.reason(whats.join(", "), nodes)}</p>
    </>
  );
}
