/** Modal questions. `ask` resolves to the chosen action's id, or undefined if the dialog was canceled. */
import { create } from "zustand";

export type Question = {
  title: string;
  text: string;
  actions: { id: string; label: string; kind: "main" | "plain" | "danger" }[];
};

type Asking = { question?: Question; settle: (choice?: string) => void };

export const askStore = create<Asking>(() => ({ settle: () => undefined }));

export function ask(question: Question): Promise<string | undefined> {
  return new Promise((resolve) => {
    // Dismisses a question that is still open: only one can be answered at a time.
    askStore.getState().settle();
    askStore.setState({
      question,
      settle: (choice) => {
        askStore.setState({ question: undefined, settle: () => undefined });
        resolve(choice);
      },
    });
  });
}
