/** What the page's main thread did, task by task: the page's own cost, which a busy machine stretches but does not make. */
import type { CDPSession, Page } from "@playwright/test";

export type Tasks = {
  /** The longest task, in milliseconds of processor time and as the clock saw it. */
  longestTaskMs: number;
  longestTaskWallMs: number;
  /** How many tasks took more than 50 ms of processor time. */
  tasksOver50Ms: number;
  /** What the longest one did: the most of its parts, in milliseconds of processor time. */
  longestTask: Record<string, number>;
};

/** One thing that a thread did; times in microseconds, `tdur` without the time it did not have the processor. */
type Traced = { name: string; ph: string; pid: number; tid: number; ts: number; dur?: number; tdur?: number };

/** Few: each thing that is traced takes time itself, in a run as busy as these up to 10 ms of a task. */
const CATEGORIES = ["toplevel", "devtools.timeline"];

/** Traces from now until `stop`. */
export async function recordTasks(page: Page): Promise<{ stop(): Promise<Tasks> }> {
  const session = await page.context().newCDPSession(page);
  const events: Traced[] = [];
  session.on("Tracing.dataCollected", ({ value }) => {
    for (const event of value as unknown as Traced[]) events.push(event);
  });
  const traceConfig = { includedCategories: CATEGORIES, recordMode: "recordAsMuchAsPossible" as const };
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig });
  return {
    stop: async () => {
      await endTracing(session);
      await session.detach();
      return summarize(ofMainThread(events));
    },
  };
}

function endTracing(session: CDPSession): Promise<void> {
  return new Promise((resolve, reject) => {
    session.once("Tracing.tracingComplete", () => resolve());
    session.send("Tracing.end").catch(reject);
  });
}

/** The thread that calls the most functions is the page's main thread: the others call none. */
function ofMainThread(events: readonly Traced[]): Traced[] {
  const calls = new Map<string, number>();
  const thread = (event: Traced) => `${event.pid}/${event.tid}`;
  for (const event of events) {
    if (event.name === "FunctionCall") calls.set(thread(event), (calls.get(thread(event)) ?? 0) + 1);
  }
  const [main] = [...calls].sort((a, b) => b[1] - a[1])[0] ?? [];
  return events
    .filter((event) => event.ph === "X" && thread(event) === main)
    .sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
}

function summarize(events: readonly Traced[]): Tasks {
  let longest: Traced | undefined;
  let wall = 0;
  let over = 0;
  let end = 0;
  for (const event of events) {
    // Tasks nest; only the outermost count.
    if (!event.name.endsWith("RunTask") || event.ts < end) continue;
    end = event.ts + (event.dur ?? 0);
    wall = Math.max(wall, event.dur ?? 0);
    if ((event.tdur ?? 0) > 50_000) over += 1;
    if ((event.tdur ?? 0) > (longest?.tdur ?? 0)) longest = event;
  }
  return {
    longestTaskMs: inMs(longest?.tdur ?? 0),
    longestTaskWallMs: inMs(wall),
    tasksOver50Ms: over,
    longestTask: longest ? partsOf(longest, events) : {},
  };
}

/** What a task did, by name, without what was done within; the five that took most. */
function partsOf(task: Traced, events: readonly Traced[]): Record<string, number> {
  const until = (event: Traced) => event.ts + (event.dur ?? 0);
  const own = new Map<string, number>();
  const add = (name: string, time: number) => own.set(name, (own.get(name) ?? 0) + time);
  const open: Traced[] = [];
  for (const event of events) {
    if (event.ts < task.ts || until(event) > until(task)) continue;
    while (open.length > 0 && until(open.at(-1) as Traced) <= event.ts) open.pop();
    const around = open.at(-1);
    if (around) add(around.name, -(event.tdur ?? 0));
    add(event.name, event.tdur ?? 0);
    open.push(event);
  }
  const most = [...own].sort((a, b) => b[1] - a[1]).slice(0, 5);
  return Object.fromEntries(most.map(([name, time]) => [name, inMs(time)]));
}

function inMs(microseconds: number): number {
  return Math.round(microseconds / 100) / 10;
}
