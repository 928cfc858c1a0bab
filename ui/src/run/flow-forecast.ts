/**
 * The forecast of the displayed flow: how its prompts will grow and what a run may cost. The host makes it; here it is kept up to
 * date, shortly after each check that found no error, and while a run goes on.
 */
import { createStore, type StoreApi } from "zustand";
import type { Flow, FlowForecast, NodeForecast, NodeId } from "@/bindings";
import type { FlowEditor } from "@/flow/document/editor";
import { displayedFlow, displayedPath } from "@/flow/document/flow-state";
import type { Host } from "@/ipc";
import { runBlockers } from "./control/run-blockers";
import { isOver } from "./fold/status";
import type { ActiveRun } from "./live/active-run";

/** How long nothing may change before a forecast is made. */
const DELAY_MS = 400;
/** Larger flows get none automatically: it would take the host seconds after each edit. */
const MAX_NODES = 5000;

/** The forecast, and the flow that it is about. */
export type Forecasted = { flow?: Flow; forecast?: FlowForecast };

export class FlowForecasts {
  readonly store: StoreApi<Forecasted> = createStore<Forecasted>(() => ({}));
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The request for the displayed forecast. */
  #pending: { flow: Flow; made: string } | undefined;
  /** What the latest forecast was made from. */
  #made = "";

  constructor(
    private readonly host: Host,
    private readonly editor: FlowEditor,
    private readonly activeRun: ActiveRun,
  ) {}

  /** Keeps the forecast up to date until the returned function is called. */
  follow(): () => void {
    const stops = [
      this.editor.store.subscribe((state, before) => {
        if (state.checkedFlow !== before.checkedFlow) this.#schedule();
      }),
      this.activeRun.onPart("head", () => this.#schedule()),
    ];
    this.#schedule();
    return () => {
      for (const stop of stops) stop();
      clearTimeout(this.#timer);
      this.#pending = undefined;
    };
  }

  /** What becomes of the prompts of a node, if that is known. */
  of(node: NodeId, { forecast }: Forecasted = this.store.getState()): NodeForecast | undefined {
    return forecast?.nodes.find((one) => one.node === node);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#make(), DELAY_MS);
  }

  async #make(): Promise<void> {
    const state = this.editor.state;
    const flow = displayedFlow(state);
    const { session, headNow: head } = this.activeRun;
    const run = session && !isOver(head.status) ? session.run : undefined;
    const made = `${run ?? ""} ${run ? head.totals.modelCalls : 0}`;
    // The answer that is under way is the one that is needed.
    if (this.#pending?.flow === flow && this.#pending.made === made && state.checkedFlow === flow) return;
    // Running requests are about the flow displayed before.
    this.#pending = undefined;
    // The check that is under way leads here again.
    if (state.checkedFlow !== flow) return;
    const hasErrors = runBlockers(state).length > 0;
    if (hasErrors || Object.keys(flow.nodes).length > MAX_NODES) {
      this.store.setState({ flow, forecast: undefined });
      return;
    }
    if (this.store.getState().flow === flow && made === this.#made) return;
    const request = { flow, made };
    this.#pending = request;
    try {
      const forecast = await this.host.call("flow.forecast", { flow, path: displayedPath(state), ...(run && { run }) });
      if (this.#pending !== request) return;
      this.#made = made;
      this.store.setState({ flow, forecast });
    } catch {
      // A flow that cannot run has no forecast; its problems are listed.
      if (this.#pending === request) this.store.setState({ flow, forecast: undefined });
    } finally {
      if (this.#pending === request) this.#pending = undefined;
    }
  }
}
