/** Short messages at the edge of the window. An error says what to do next and offers the button that does it. */
import { toast } from "sonner";
import { plain } from "./plain-text";

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
  /** Stays until it is dismissed. None is shown where a part of the window that is open says the same already. */
  error(error: Failure, action?: Action): void {
    const show = () =>
      toast.error(error.message, {
        id: error.code,
        description: [error.hint, error.code].filter(Boolean).join(" · "),
        duration: Number.POSITIVE_INFINITY,
        ...options(action),
      });
    // Panels get the error at the same time, so look once they have drawn it.
    requestAnimationFrame(() => requestAnimationFrame(() => !isShown(error, action) && show()));
  },
};

/** What panels and forms show errors in. */
const MESSAGES = "[role=alert], [role=status]";
/** The layer of the toasts themselves. */
const TOASTS = "[data-testid=toasts]";

/** Whether the window shows the message elsewhere, with a button for what the toast would offer. */
function isShown({ message }: Failure, action: Action | undefined): boolean {
  return [...document.querySelectorAll<HTMLElement>(MESSAGES)].some((part) => {
    const text = part.textContent ?? "";
    return (
      message !== "" &&
      part.closest(TOASTS) === null &&
      part.checkVisibility?.() !== false &&
      text.includes(plain(message)) &&
      (action === undefined || text.includes(action.label))
    );
  });
}

function options(action?: Action) {
  return action ? { action: { label: action.label, onClick: action.run } } : {};
}
