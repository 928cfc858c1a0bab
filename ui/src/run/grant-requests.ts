/** Asks the person what a flow may use before it runs. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { GrantRule, NeedStatus } from "@/bindings";

export type GrantRequest = {
  flowName: string;
  /** Whether rules can be kept: the flow has a file. */
  hasFile: boolean;
  needs: readonly NeedStatus[];
};

export type GrantAnswer = { kept: GrantRule[]; once: GrantRule[] };

type OpenRequest = { request?: GrantRequest; settle: (answer?: GrantAnswer) => void };

/** The request that is open, if there is one. */
export class GrantRequests {
  readonly store: StoreApi<OpenRequest> = createStore<OpenRequest>(() => ({ settle: () => undefined }));

  /** Resolves to what the person decided, or to undefined if the dialog was canceled. */
  ask(request: GrantRequest): Promise<GrantAnswer | undefined> {
    return new Promise((resolve) => {
      // Dismisses a request that is still open.
      this.store.getState().settle();
      this.store.setState({
        request,
        settle: (answer) => {
          this.store.setState({ request: undefined, settle: () => undefined });
          resolve(answer);
        },
      });
    });
  }
}
