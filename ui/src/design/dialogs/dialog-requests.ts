/** What is asked of the person in a dialog of its own kind. */
import { createStore, type StoreApi } from "zustand/vanilla";

type OpenRequest<Request, Answer> = { request?: Request; settle: (answer?: Answer) => void };

export class DialogRequests<Request, Answer> {
  /** The request that is open, if there is one. */
  readonly store: StoreApi<OpenRequest<Request, Answer>> = createStore<OpenRequest<Request, Answer>>(() => ({
    settle: () => undefined,
  }));

  /** The answer to the request asked last. */
  #last: Promise<unknown> | undefined;

  /** Resolves to what the person decided, or to undefined if the dialog was canceled. Asks once the requests before are answered. */
  ask(request: Request): Promise<Answer | undefined> {
    const answer = this.#last ? this.#last.then(() => this.#show(request)) : this.#show(request);
    this.#last = answer;
    return answer;
  }

  #show(request: Request): Promise<Answer | undefined> {
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
