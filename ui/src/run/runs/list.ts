/** The runs the host keeps, newest first. Asked for anew when one of them has turned. */
import { create } from "zustand";
import type { RunSummary } from "@/bindings";
import { call, HostError } from "@/ipc";

const LIMIT = 500;
/** Turning points come in bursts; one question is enough for several. */
const DELAY_MS = 150;

type Runs = { list: RunSummary[]; state: "unknown" | "loading" | "known"; error?: HostError };

export const runsStore = create<Runs>(() => ({ list: [], state: "unknown" }));

let timer: ReturnType<typeof setTimeout> | undefined;

/** Asks again shortly. */
export function refreshRuns(): void {
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    void loadRuns();
  }, DELAY_MS);
}

/** Asks now. */
export async function loadRuns(): Promise<RunSummary[]> {
  if (runsStore.getState().state === "unknown") runsStore.setState({ state: "loading" });
  try {
    const list = await call("runs.list", { limit: LIMIT });
    runsStore.setState({ list, state: "known", error: undefined });
  } catch (thrown) {
    runsStore.setState({ state: "known", error: HostError.from(thrown) });
  }
  return runsStore.getState().list;
}
