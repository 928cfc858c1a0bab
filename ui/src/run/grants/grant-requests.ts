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

  /** The answer to the request asked last. */
  #last: Promise<unknown> | undefined;

  /** Resolves to what the person decided, or to undefined if the dialog was canceled. Asks once the requests before are answered. */
  ask(request: GrantRequest): Promise<GrantAnswer | undefined> {
    const answer = this.#last ? this.#last.then(() => this.#show(request)) : this.#show(request);
    this.#last = answer;
    return answer;
  }

  #show(request: GrantRequest): Promise<GrantAnswer | undefined> {
    return new Promise((resolve) => {
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
