import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useRef } from "react";
import { useStore } from "zustand";
import { Button } from "./Button";
import type { QuestionStore } from "./question-store";

const RANK = { danger: 0, plain: 1, main: 2 } as const;

/**
 * Shows the open question, if there is one. Cancel stands on the left and the main action on the right, as in other desktop
 * programs. The main action has the focus; without one, nothing can be lost by Enter, since Cancel has it.
 */
export function AskDialog({ questions }: { questions: QuestionStore }) {
  const { question, settle } = useStore(questions.store);
  const first = useRef<HTMLButtonElement>(null);
  const actions = [...(question?.actions ?? [])].sort((a, b) => RANK[a.kind] - RANK[b.kind]);
  const hasMain = actions.some((action) => action.kind === "main");
  return (
    <AlertDialog.Root open={question !== undefined} onOpenChange={(open) => !open && settle()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-50 bg-black/45" />
        <AlertDialog.Popup
          data-testid="ask-dialog"
          initialFocus={first}
          className="fixed top-1/2 left-1/2 z-50 w-[440px] max-w-[90vw] -translate-x-1/2 -translate-y-1/2 rounded-xl border border-line bg-bg-1 p-5 shadow-pop outline-none"
        >
          <AlertDialog.Title className="mb-1.5 font-semibold text-lg">{question?.title}</AlertDialog.Title>
          <AlertDialog.Description className="mb-4 text-fg-2">{question?.text}</AlertDialog.Description>
          <div className="flex flex-wrap justify-end gap-2">
            <Button ref={hasMain ? undefined : first} onClick={() => settle()}>
              Cancel
            </Button>
            {actions.map((action) => (
              <Button
                key={action.id}
                ref={action.kind === "main" ? first : undefined}
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
