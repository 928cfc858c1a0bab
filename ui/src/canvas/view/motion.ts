/** Tracks whether the view is moving, for the style sheet and for work that can wait. Causes no React render. */
import type { useStoreApi } from "@xyflow/react";
import type { ViewMotion } from "@/run/live/view-motion";

type Store = ReturnType<typeof useStoreApi>;

/** So long after its last step a move is over, in milliseconds. */
const IDLE_AFTER_MS = 160;

/**
 * Sets `data-moving` on the canvas while its view moves. Zooming does not count: a single layer would be blurred then.
 * Returns a function that stops it.
 */
export function followMotion(store: Store, canvas: HTMLElement, motion: ViewMotion): () => void {
  let last = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const endMove = () => {
    clearTimeout(timer);
    timer = undefined;
    motion.moving = false;
    canvas.removeAttribute("data-moving");
  };
  const checkIdle = () => {
    const left = last + IDLE_AFTER_MS - performance.now();
    if (left > 0) timer = setTimeout(checkIdle, left);
    else endMove();
  };
  const unsubscribe = store.subscribe(({ transform }, { transform: before }) => {
    if (transform === before) return;
    if (transform[2] !== before[2]) {
      if (motion.moving) endMove();
      return;
    }
    last = performance.now();
    if (motion.moving) return;
    motion.moving = true;
    canvas.setAttribute("data-moving", "");
    timer = setTimeout(checkIdle, IDLE_AFTER_MS);
  });
  // Stops other pointer listeners: the separators between the panels would measure all panels on each event.
  const spare = (event: PointerEvent) => {
    if (motion.moving && event.buttons !== 0) event.preventDefault();
  };
  canvas.addEventListener("pointermove", spare);
  return () => {
    unsubscribe();
    canvas.removeEventListener("pointermove", spare);
    endMove();
  };
}
