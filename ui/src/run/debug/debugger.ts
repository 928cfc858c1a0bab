/** Stops of the active run: pausing and going on. */
import type { DebugVerb, Epoch, MessageEdit, NodeId, PortName, RunId, StopView } from "@/bindings";
import { type Host, HostError } from "@/ipc";
import { isOver } from "@/run/fold/status";
import type { ActiveRun } from "@/run/live/active-run";
import type { RunSession } from "@/run/live/session";
import { chosenStop, createStopChoice } from "./stops";

type Parts = {
  host: Host;
  active: ActiveRun;
  /** Says what went wrong. */
  report: (thrown: unknown) => void;
  /** A run goes on that may not have been watched. */
  onResumed: (run: RunId) => void;
};

export class RunDebugger {
  /** Which of several stops is looked at. */
  readonly choice = createStopChoice();
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Stops the active run wherever it is, or only the branch of a node that runs. */
  async pause(branch?: { node: NodeId; epoch: Epoch }): Promise<void> {
    const session = this.#parts.active.session;
    if (!session || isOver(session.fold.head.status)) return;
    await this.#perform(session.run, () => this.#parts.host.call("run.stop", { run: session.run, ...branch }));
  }

  /** Lets the active run go on from the stop that is looked at. */
  async go(verb: DebugVerb): Promise<void> {
    const { session, stop } = this.#present;
    if (!session || !stop) return;
    await this.#perform(session.run, async () => {
      const held = await this.#held(session.run, stop);
      await this.#parts.host.call("run.go", { ...held, verb });
    });
  }

  /** Lets everything go on that stands still: the whole run and all branches of it. */
  async goAll(): Promise<void> {
    const { session } = this.#present;
    if (!session) return;
    await this.#perform(session.run, () => this.#parts.host.call("run.continueAll", { run: session.run }));
  }

  /** Has the person look at one stop of the active run, of several. */
  choose(number: number): void {
    const { session } = this.#present;
    if (session) this.choice.setState({ chosen: { run: session.run, number } });
  }

  /** Puts a value in place of one that the active run holds at its stop. Returns the error, for the form. */
  async change(port: PortName, value: unknown): Promise<HostError | undefined> {
    const { session, stop } = this.#present;
    if (!session || !stop) return undefined;
    try {
      const held = await this.#held(session.run, stop);
      await this.#parts.host.call("run.changeValue", { ...held, port, value });
      this.#parts.onResumed(session.run);
      return undefined;
    } catch (thrown) {
      return HostError.from(thrown);
    }
  }

  /** Edits the history of the context that the node uses which the active run holds. Returns the error, for the form. */
  async editHistory(edits: MessageEdit[]): Promise<HostError | undefined> {
    const { session, stop } = this.#present;
    if (!session || !stop) return undefined;
    try {
      const held = await this.#held(session.run, stop);
      await this.#parts.host.call("run.editHistory", { ...held, edits });
      this.#parts.onResumed(session.run);
      return undefined;
    } catch (thrown) {
      return HostError.from(thrown);
    }
  }

  /** Has a node of the active run, which stands still, execute with another config. Returns the error, for the form. */
  async tryConfig(node: NodeId, config: Record<string, unknown>): Promise<HostError | undefined> {
    const { session, stop } = this.#present;
    if (!session || !stop) return undefined;
    try {
      await this.#parts.host.call("run.tryConfig", { run: session.run, stop: stop.number, node, config });
      this.#parts.onResumed(session.run);
      return undefined;
    } catch (thrown) {
      return HostError.from(thrown);
    }
  }

  /** Drops what is tried on a node of the active run, or on all. */
  async dropTrials(node?: NodeId): Promise<void> {
    const { session, stop } = this.#present;
    if (!session || !stop) return;
    const one = node === undefined ? {} : { node };
    await this.#perform(session.run, () =>
      this.#parts.host.call("run.dropTrials", { run: session.run, stop: stop.number, ...one }),
    );
  }

  /** Has the node that the active run holds at its stop take another way. */
  async force(port: PortName): Promise<void> {
    const { session, stop } = this.#present;
    if (!session || !stop) return;
    await this.#perform(session.run, async () => {
      const held = await this.#held(session.run, stop);
      await this.#parts.host.call("run.forceWay", { ...held, port });
    });
  }

  /** The active run, and the stop of it that the person has chosen. */
  get #present(): { session: RunSession | undefined; stop: StopView | undefined } {
    const { session } = this.#parts.active;
    return { session, stop: chosenStop(session?.run, session?.fold.head.stops, this.choice.getState().chosen) };
  }

  /** The run that is held and the number of its stop, as the person sees it: the active one, or one below it. */
  async #held(run: RunId, { number, cause, scope }: StopView): Promise<{ run: RunId; stop: number }> {
    if (cause.kind !== "elsewhere") return { run, stop: number };
    const held = await this.#parts.host.call("run.held", { run: cause.run });
    const found = held.find(({ stop }) => stop.scope === scope) ?? held[0];
    if (!found) throw new HostError({ code: "debug.moved_on", message: "The run goes on already." });
    return { run: found.run, stop: found.stop.number };
  }

  async #perform(run: RunId, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.#parts.onResumed(run);
    } catch (thrown) {
      this.#parts.report(thrown);
    }
  }
}
