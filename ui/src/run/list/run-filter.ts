/** Which runs the list shows. */
import type { RunStatus, RunSummary } from "@/bindings";

export type RunStatusFilter = "all" | "open" | "waiting" | "failed" | "finished" | "cancelled";
/** Of all flows, or of the open one. */
export type FlowFilter = "all" | "flow";

const STATUSES_BY_FILTER: Record<Exclude<RunStatusFilter, "all">, readonly RunStatus[]> = {
  open: ["running", "waiting", "stopped", "interrupted"],
  waiting: ["waiting"],
  failed: ["failed"],
  finished: ["finished"],
  cancelled: ["cancelled"],
};

type RunFilter = { words: string; statusFilter: RunStatusFilter; flowFilter: FlowFilter; path: string | undefined };

export function selectRuns(
  list: readonly RunSummary[],
  { words, statusFilter, flowFilter, path }: RunFilter,
): RunSummary[] {
  const wanted = words.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return list.filter((run) => {
    if (statusFilter !== "all" && !STATUSES_BY_FILTER[statusFilter].includes(run.status)) return false;
    if (flowFilter === "flow" && path !== undefined && run.path !== path) return false;
    const searchable = `${run.flowName} ${run.path ?? ""} ${run.run} ${run.status} ${run.waitingOn ?? ""} ${run.error?.code ?? ""}`;
    return wanted.every((word) => searchable.toLowerCase().includes(word));
  });
}

/** The runs that only a person can make go on, newest first. What a program did is resumed by nobody. */
export function openRuns(list: readonly RunSummary[]): RunSummary[] {
  const open: readonly RunStatus[] = ["waiting", "stopped", "interrupted"];
  return list.filter((run) => open.includes(run.status) && run.program === undefined);
}
