import { useEffect } from "react";
import { useRunHead } from "@/workspace/run-hooks";

/** Each spinning ring is a compositor layer of its own, and more than this many convey nothing more. */
const MAX_ANIMATED_NODES = 12;

/** Sets `data-crowded` while too many nodes run to animate all of them. The style sheets and scripts then stop the animations. */
export function AnimationLimit() {
  const crowded = useRunHead(({ counts }) => counts.running + counts.retrying > MAX_ANIMATED_NODES);
  useEffect(() => {
    document.documentElement.toggleAttribute("data-crowded", crowded);
    return () => document.documentElement.removeAttribute("data-crowded");
  }, [crowded]);
  return null;
}
