/** Short messages at the edge of the window. An error says what to do next and offers the button that does it. */
import { toast } from "sonner";

type Failure = { code: string; message: string; hint?: string };
type Action = { label: string; run: () => void };

export const notify = {
  info(text: string, action?: Action): void {
    toast(text, options(action));
  },
  /** Stays until it is taken or closed: what it offers may be wanted later. */
  offer(text: string, action: Action): void {
    toast(text, { ...options(action), duration: Number.POSITIVE_INFINITY, closeButton: true });
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
