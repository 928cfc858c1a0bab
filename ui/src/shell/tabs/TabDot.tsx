import type { RunStatus } from "@/bindings";
import type { FlowTab } from "./useTabs";

const RUN_DOTS: Partial<Record<RunStatus, string>> = {
  running: "bg-accent tab-dot-running",
  waiting: "bg-wait",
  failed: "bg-bad",
  interrupted: "bg-wait",
};

/** How a tab's run is doing; else whether the flow has unsaved changes. */
export function TabDot({ tab: { status, isDirty, state } }: { tab: FlowTab }) {
  const run = status && RUN_DOTS[status];
  if (!run && !isDirty) return null;
  return (
    <>
      <i className={`size-2 shrink-0 rounded-full ${run ?? "border-2 border-fg-3"}`} aria-hidden />
      <span className="sr-only">{state}</span>
    </>
  );
}
