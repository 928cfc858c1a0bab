/**
 * Keeps the breakpoints of the shown flow and those of its run the same. The run may have others, of a terminal: only what changes here
 * is changed there, and what changes there is taken over.
 */
import type { Breakpoint, RunId } from "@/bindings";
import type { FlowEditor } from "@/flow/document/editor";
import { type Host, HostError } from "@/ipc";
import { isOver } from "@/run/fold/status";
import type { ActiveRun } from "@/run/live/active-run";
import type { RunSession } from "@/run/live/session";
import { type BreakpointStore, breakpointsIn } from "./breakpoints";
import { nameOf } from "./kept-by-flow";

type Parts = {
  host: Host;
  editor: FlowEditor;
  active: ActiveRun;
  breakpoints: BreakpointStore;
  /** The run of the shown flow, while it is shown. */
  session: () => RunSession | undefined;
  /** Says what went wrong. */
  report: (thrown: unknown) => void;
  /** A run goes on that may not have been watched. */
  onResumed: (run: RunId) => void;
};

const NONE: readonly Breakpoint[] = [];

export class BreakpointSync {
  readonly #parts: Parts;
  /** Those of the window, as the run has received them last. */
  #ofWindow: readonly Breakpoint[] = NONE;
  #session: RunSession | undefined;
  /** The run that got changes last. */
  #run: RunId | undefined;
  /** Those of the run, as they were looked at last. */
  #ofRun: readonly Breakpoint[] | undefined;
  /** How many changes of the window are on their way: what comes from the run meanwhile may be their echo. */
  #pending = 0;
  /** Ends when the changes so far are made: a later one must not overtake an earlier one of the same breakpoint. */
  #sent: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Begins. Returns the function that ends it. */
  follow(): () => void {
    const { editor, active, breakpoints } = this.#parts;
    this.#ofWindow = breakpoints.current;
    const stops = [
      editor.store.subscribe((now, before) => {
        // Another flow is shown, with breakpoints of its own.
        if (nameOf(now) !== nameOf(before)) this.#ofWindow = breakpoints.current;
      }),
      breakpoints.store.subscribe(() => this.#tell(breakpoints.current)),
      active.onPart("head", () => this.#look()),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** The breakpoints of the shown flow were changed to these. */
  #tell(now: readonly Breakpoint[]): void {
    const before = this.#ofWindow;
    const session = this.#parts.session();
    // Another run is shown: this one gets them when it is shown again.
    if (!session || isOver(session.fold.head.status)) return;
    this.#ofWindow = now;
    const { run, flow } = session;
    for (const breakpoint of breakpointsIn(flow, this.#parts.editor.state.checked, changed(before, now))) {
      this.#send(run, () => this.#parts.host.call("run.putBreakpoint", { run, breakpoint }));
    }
    for (const id of removed(before, now)) {
      this.#send(run, () => this.#parts.host.call("run.dropBreakpoint", { run, id }));
    }
  }

  /** The run may have other breakpoints now. */
  #look(): void {
    const session = this.#parts.session();
    if (session !== this.#session) {
      this.#session = session;
      this.#ofRun = undefined;
      const { breakpoints } = this.#parts;
      if (session && session.run === this.#run) this.#tell(breakpoints.current);
      // A new run was started with those that there are.
      else if (session) this.#ofWindow = breakpoints.current;
      this.#run = session?.run ?? this.#run;
    }
    if (!session?.isCaughtUp || isOver(session.fold.head.status)) return;
    const now = session.fold.head.breakpoints ?? NONE;
    const before = this.#ofRun;
    if (now === before || this.#pending > 0) return;
    this.#ofRun = now;
    if (!before) return;
    const [set, gone] = [changed(before, now), removed(before, now)];
    // What is taken over is not sent back.
    const kept = this.#ofWindow.filter((one) => !gone.includes(one.id) && !set.some(({ id }) => id === one.id));
    this.#ofWindow = [...kept, ...set];
    this.#parts.breakpoints.adopt(set, gone);
  }

  #send(run: RunId, change: () => Promise<unknown>): void {
    this.#pending += 1;
    this.#sent = this.#sent.then(async () => {
      try {
        await change();
        this.#parts.onResumed(run);
      } catch (thrown) {
        // Somebody else has removed it already.
        if (HostError.from(thrown).code !== "debug.no_breakpoint") this.#parts.report(thrown);
      } finally {
        this.#pending -= 1;
        this.#look();
      }
    });
  }
}

const isSame = (one: Breakpoint, other: Breakpoint) => JSON.stringify(one) === JSON.stringify(other);

function changed(before: readonly Breakpoint[], now: readonly Breakpoint[]): Breakpoint[] {
  return now.filter((one) => !before.some((other) => isSame(one, other)));
}

function removed(before: readonly Breakpoint[], now: readonly Breakpoint[]): string[] {
  return before.filter(({ id }) => now.every((one) => one.id !== id)).map(({ id }) => id);
}
