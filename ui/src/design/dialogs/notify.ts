/** Short messages at the edge of the window. An error says what to do next and offers the button that does it. */
import { toast } from "sonner";
import { plain } from "@/design/markdown/plain-text";
import { windowText } from "@/design/text/window-text";

type Failure = { code: string; message: string; hint?: string; request?: string };
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
  /**
   * Stays until it is dismissed or its request succeeds. None is shown where a part of the window that is open has just
   * said the same.
   */
  error(error: Failure, action?: Action): void {
    const earlier = new Set(document.querySelectorAll(MESSAGES));
    const show = () => {
      const id = idOf(error);
      // The same error again takes the place of the one before.
      for (const other of displayed())
        if (other.startsWith(idOf({ code: error.code })) && other !== id) toast.dismiss(other);
      toast.error(plain(windowText(error.message)), {
        id,
        description: plain(windowText(error.hint ?? "")) || undefined,
        duration: Number.POSITIVE_INFINITY,
        ...options(action),
      });
    };
    // Panels get the error at the same time, so look once they have drawn it.
    requestAnimationFrame(() => requestAnimationFrame(() => !isShown(error, action, earlier) && show()));
  },
  /** Takes back the errors of a request, since the same one has succeeded. */
  succeeded(request: string): void {
    for (const id of displayed()) if (id.endsWith(idOf({ code: "", request }))) toast.dismiss(id);
  },
};

const SEPARATOR = "\n";

function idOf({ code, request = "" }: Pick<Failure, "code" | "request">): string {
  return `${code}${SEPARATOR}${request}`;
}

function displayed(): string[] {
  return toast.getToasts().map(({ id }) => String(id));
}

/** What panels and forms show errors in: `ErrorMessage`. */
const MESSAGES = "[data-error-code]";

/** Whether the window has just shown the error elsewhere, in view, with a button for what the toast would offer. */
function isShown({ code, message }: Failure, action: Action | undefined, earlier: ReadonlySet<Element>): boolean {
  return [...document.querySelectorAll<HTMLElement>(MESSAGES)].some(
    (part) =>
      // What was there before does not show that it happened again.
      !earlier.has(part) &&
      part.dataset.errorCode === code &&
      part.querySelector("[data-error-message]")?.textContent === plain(windowText(message)) &&
      isInView(part) &&
      (action === undefined || (part.textContent ?? "").includes(action.label)),
  );
}

function isInView(part: Element): boolean {
  if (!part.checkVisibility()) return false;
  const { top, bottom, left, right } = part.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight && right > 0 && left < window.innerWidth;
}

function options(action?: Action) {
  return action ? { action: { label: action.label, onClick: action.run } } : {};
}
