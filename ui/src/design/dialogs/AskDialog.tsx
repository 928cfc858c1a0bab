import { useStore } from "zustand";
import { Dialog, DialogButtons, DialogText, DialogTitle, useSafeButton } from "./Dialog";
import type { QuestionStore } from "./question-store";

/** Shows the open question, if there is one. */
export function AskDialog({ questions }: { questions: QuestionStore }) {
  const { question, settle } = useStore(questions.store);
  const safe = useSafeButton();
  const actions = (question?.actions ?? []).map((action) => ({
    ...action,
    testId: `ask-${action.id}`,
    run: () => settle(action.id),
  }));
  return (
    <Dialog
      alert
      open={question !== undefined}
      onClose={() => settle()}
      testId="ask-dialog"
      initialFocus={safe}
      className="w-[440px] p-5"
    >
      <DialogTitle className="mb-1.5 font-semibold text-lg">{question?.title}</DialogTitle>
      <DialogText className="mb-4 text-fg-2">{question?.text}</DialogText>
      <DialogButtons safe={safe} actions={actions} cancelLabel="Cancel" onCancel={() => settle()} />
    </Dialog>
  );
}
