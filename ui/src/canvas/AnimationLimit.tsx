import { useEffect } from "react";
import { useRunHead } from "@/workspace/run-hooks";

/**
 * More spinning rings than this convey nothing more. Each is a layer of its own, or without a graphics processor a place to
 * paint in each frame: of those WebKit paints up to ten by themselves, and these are to leave room for what grows.
 */
const MAX_ANIMATED_NODES = 3;
/**
 * Animations begin again when so few nodes run for so long, in milliseconds: starting and stopping those of a busy flow draws
 * all its cards anew, and in a flow of many short nodes the number crosses the limit many times a second.
 */
const CALM_MS = 1_000;

/** Sets `data-crowded` while too many nodes run to animate all of them. The style sheets and scripts then stop the animations. */
export function AnimationLimit() {
  const crowded = useRunHead(({ counts }) => counts.running + counts.retrying > MAX_ANIMATED_NODES);
  useEffect(() => {
    const page = document.documentElement;
    if (crowded) {
      page.setAttribute("data-crowded", "");
      return;
    }
    const calm = setTimeout(() => page.removeAttribute("data-crowded"), CALM_MS);
    return () => clearTimeout(calm);
  }, [crowded]);
  useEffect(() => () => document.documentElement.removeAttribute("data-crowded"), []);
  return null;
}
