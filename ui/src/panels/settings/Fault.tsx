import type { Fault as FaultReply } from "@/bindings";

/** What went wrong, and what to do about it. */
export function Fault({ fault }: { fault: Pick<FaultReply, "code" | "message" | "hint"> }) {
  return (
    <div className="mt-1.5 break-words text-xs" role="status">
      <p className="text-bad">{fault.message}</p>
      {fault.hint ? <p className="mt-0.5 text-fg-2">{fault.hint}</p> : null}
      <p className="mt-0.5 font-mono text-2xs text-fg-3">{fault.code}</p>
    </div>
  );
}
