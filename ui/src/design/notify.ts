/** Short messages at the edge of the window. An error says what to do next and offers the button that does it. */
import { toast } from "sonner";

type Failure = { code: string; message: string; hint?: string };
type Action = { label: string; run: () => void };

const OFFER_MS = 30_000;
const ACTION_MS = 10_000;

export const notify = {
  info(text: string, action?: Action): void {
    toast(text, { ...options(action), ...(action ? { duration: ACTION_MS } : {}) });
  },
  /** Stays long enough to decide on it. What it offers can also be done elsewhere, so it may go. */
  offer(id: string, text: string, action: Action): void {
    toast(text, { ...options(action), id, duration: OFFER_MS });
  },
  /** Takes an offer back: it was done elsewhere. */
  withdraw(id: string): void {
    toast.dismiss(id);
  },
  done(text: string): void {
    toast.success(text);
  },
  error(error: Failure, action?: Action): void {
    toast.error(error.message, {
      id: error.code,
      description: [error.hint, error.code].filter(Boolean).join(" · "),
      duration: 12_000,
      ...options(action),
    });
  },
};

function options(action?: Action) {
  return action ? { action: { label: action.label, onClick: action.run } } : {};
}
