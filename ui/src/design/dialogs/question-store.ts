/** Modal questions. */
import { createStore, type StoreApi } from "zustand/vanilla";

export type Question = {
  title: string;
  text: string;
  actions: { id: string; label: string; kind: "main" | "plain" | "danger" }[];
};

type OpenQuestion = { question?: Question; settle: (choice?: string) => void };

/** The question that is open, if there is one. Only one can be answered at a time. */
export class QuestionStore {
  readonly store: StoreApi<OpenQuestion> = createStore<OpenQuestion>(() => ({ settle: () => undefined }));

  /** Resolves to the chosen action's id, or to undefined if the dialog was canceled. */
  ask(question: Question): Promise<string | undefined> {
    return new Promise((resolve) => {
      // Dismisses a question that is still open.
      this.store.getState().settle();
      this.store.setState({
        question,
        settle: (choice) => {
          this.store.setState({ question: undefined, settle: () => undefined });
          resolve(choice);
        },
      });
    });
  }
}
