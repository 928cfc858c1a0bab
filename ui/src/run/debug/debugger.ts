/** Stops of the active run: pausing and going on. */
import type { DebugVerb, Epoch, MessageEdit, NodeId, PortName, RunId, StopView } from "@/bindings";
import { type Host, HostError } from "@/ipc";
import { isOver } from "@/run/fold/status";
import type { ActiveRun } from "@/run/live/active-run";

type Parts = {
  host: Host;
  active: ActiveRun;
  /** Says what went wrong. */
  report: (thrown: unknown) => void;
  /** A run goes on that may not have been watched. */
  onResumed: (run: RunId) => void;
};

export class RunDebugger {
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

  /** Lets the active run go on from its stop. */
  async go(verb: DebugVerb): Promise<void> {
    const session = this.#parts.active.session;
    const stop = session?.fold.head.stop;
    if (!session || !stop) return;
    await this.#perform(session.run, async () => {
      const held = await this.#held(session.run, stop);
      await this.#parts.host.call("run.go", { ...held, verb });
    });
  }

  /** Puts a value in place of one that the active run holds at its stop. Returns the error, for the form. */
  async change(port: PortName, value: unknown): Promise<HostError | undefined> {
    const session = this.#parts.active.session;
    const stop = session?.fold.head.stop;
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
    const session = this.#parts.active.session;
    const stop = session?.fold.head.stop;
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
    const session = this.#parts.active.session;
    const stop = session?.fold.head.stop;
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
    const session = this.#parts.active.session;
    const stop = session?.fold.head.stop;
    if (!session || !stop) return;
    const one = node === undefined ? {} : { node };
    await this.#perform(session.run, () =>
      this.#parts.host.call("run.dropTrials", { run: session.run, stop: stop.number, ...one }),
    );
  }

  /** Has the node that the active run holds at its stop take another way. */
  async force(port: PortName): Promise<void> {
    const session = this.#parts.active.session;
    const stop = session?.fold.head.stop;
    if (!session || !stop) return;
    await this.#perform(session.run, async () => {
      const held = await this.#held(session.run, stop);
      await this.#parts.host.call("run.forceWay", { ...held, port });
    });
  }

  /** The run that is held and the number of its stop, as the person sees it: the active one, or one below it. */
  async #held(run: RunId, stop: StopView): Promise<{ run: RunId; stop: number }> {
    if (stop.cause.kind !== "elsewhere") return { run, stop: stop.number };
    const held = await this.#parts.host.call("run.held", { run });
    if (!held) throw new HostError({ code: "debug.moved_on", message: "The run goes on already." });
    return { run: held.run, stop: held.stop.number };
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
