import { useEffect } from "react";
import { useRunHead } from "@/run/live/active-run";

/** More that turn at once tell the eye no more, and each is a layer of its own, with all that lies over it. */
const MAX_ANIMATED_NODES = 12;

/** Marks the page while so many nodes run at once that their marks had better hold still; the style sheets do the rest. */
export function Crowd() {
  const crowded = useRunHead(({ counts }) => counts.running + counts.retrying > MAX_ANIMATED_NODES);
  useEffect(() => {
    document.documentElement.toggleAttribute("data-crowded", crowded);
    return () => document.documentElement.removeAttribute("data-crowded");
  }, [crowded]);
  return null;
}
