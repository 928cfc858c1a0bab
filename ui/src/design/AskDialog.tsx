import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useStore } from "zustand";
import { Button } from "./Button";
import type { QuestionStore } from "./question-store";

/** Shows the open question, if there is one. */
export function AskDialog({ questions }: { questions: QuestionStore }) {
  const { question, settle } = useStore(questions.store);
  return (
    <AlertDialog.Root open={question !== undefined} onOpenChange={(open) => !open && settle()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-50 bg-black/45" />
        <AlertDialog.Popup
          data-testid="ask-dialog"
          className="fixed top-1/2 left-1/2 z-50 w-[440px] max-w-[90vw] -translate-x-1/2 -translate-y-1/2 rounded-xl border border-line bg-bg-1 p-5 shadow-pop outline-none"
        >
          <AlertDialog.Title className="mb-1.5 font-semibold text-lg">{question?.title}</AlertDialog.Title>
          <AlertDialog.Description className="mb-4 text-fg-2">{question?.text}</AlertDialog.Description>
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => settle()}>Cancel</Button>
            {question?.actions.map((action) => (
              <Button
                key={action.id}
                kind={action.kind}
                data-testid={`ask-${action.id}`}
                onClick={() => settle(action.id)}
              >
                {action.label}
              </Button>
            ))}
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
