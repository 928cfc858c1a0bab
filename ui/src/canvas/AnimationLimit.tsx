import { useEffect } from "react";
import { useRunHeadNow } from "@/workspace/run-hooks";

/** More animations at once convey nothing more. */
const MAX_ANIMATED_NODES = 12;
/**
 * Rings spin all the time: each is a layer of its own, or without a graphics processor a place that is painted in each frame.
 * Of such places WebKit paints up to ten by themselves, and what grows must be among them.
 */
const MAX_SPINNING_RINGS = 3;
/**
 * Rings spin again when so few nodes have run for so long, in milliseconds. Starting and stopping them draws all cards anew, and
 * in a flow of many short nodes the number crosses the limit many times a second.
 */
const SPIN_AGAIN_MS = 1_000;

/**
 * Sets `data-crowded` while too many nodes run to animate what happens to them, and `data-still-rings` while and shortly after
 * too many run to let their rings spin. The style sheets and scripts follow.
 */
export function AnimationLimit() {
  const isCrowded = useRunHeadNow(({ counts }) => counts.running + counts.retrying > MAX_ANIMATED_NODES);
  const areMany = useRunHeadNow(({ counts }) => counts.running + counts.retrying > MAX_SPINNING_RINGS);
  useEffect(() => {
    const page = document.documentElement;
    page.toggleAttribute("data-crowded", isCrowded);
    return () => page.removeAttribute("data-crowded");
  }, [isCrowded]);
  useEffect(() => {
    const page = document.documentElement;
    if (areMany) {
      page.setAttribute("data-still-rings", "");
      return;
    }
    const timer = setTimeout(() => page.removeAttribute("data-still-rings"), SPIN_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [areMany]);
  useEffect(() => () => document.documentElement.removeAttribute("data-still-rings"), []);
  return null;
}
