/** The search for what made the difference between two runs: fork after fork, until it is over or the person stops it. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { BeginInquiry, InquiryState } from "@/bindings";
import type { Host } from "@/ipc";

export type InquiryStep =
  /** Nothing was asked yet. */
  | { step: "idle" }
  /** The host works out what it costs. */
  | { step: "asking" }
  /** What it costs is known, and the person decides; or the person has stopped it. */
  | { step: "ready"; state: InquiryState }
  /** A fork runs. */
  | { step: "running"; state: InquiryState }
  | { step: "done"; state: InquiryState };

export type Inquiring = InquiryStep & { error?: unknown };

export class InquiryStore {
  readonly store: StoreApi<Inquiring> = createStore<Inquiring>(() => ({ step: "idle" }));
  #isStopped = false;

  constructor(readonly host: Host) {}

  /** Asks what it costs. Buys nothing. */
  async begin(question: BeginInquiry): Promise<void> {
    this.#set({ step: "asking" });
    try {
      const state = await this.host.call("run.beginInquiry", question);
      this.#set({ step: "ready", state });
    } catch (error) {
      this.#set({ step: "idle", error });
    }
  }

  /** Makes the forks, one after the other. */
  async run(): Promise<void> {
    const current = this.store.getState();
    if (current.step !== "ready") return;
    this.#isStopped = false;
    let { state } = current;
    while (state.next !== undefined && !this.#isStopped) {
      this.#set({ step: "running", state });
      try {
        state = await this.host.call("run.continueInquiry", { inquiry: state.inquiry });
      } catch (error) {
        this.#set({ step: "ready", state, error });
        return;
      }
    }
    this.#set({ step: state.next === undefined ? "done" : "ready", state });
  }

  /** Makes no fork after the one that runs. */
  stop(): void {
    this.#isStopped = true;
  }

  #set(inquiring: Inquiring): void {
    this.store.setState(inquiring, true);
  }
}
