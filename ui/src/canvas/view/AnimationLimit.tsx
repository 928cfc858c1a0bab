import { useEffect, useRef } from "react";
import type { RunHead } from "@/run/fold/types";
import { useRunHeadNow } from "@/workspace/run-hooks";

/** More animations at once convey nothing more. */
const MAX_ANIMATED_NODES = 12;
/**
 * Rings spin all the time: each is a layer of its own, or without a graphics processor a place that is painted in each
 * frame. WebKit paints up to ten such places separately, and growing text needs some of them.
 */
const MAX_SPINNING_RINGS = 3;
/**
 * Rings spin once nodes have run for this time, in milliseconds. Starting and stopping them draws all cards again,
 * which is not worth it for a moment, nor where many nodes are about to start.
 */
const SPIN_AFTER_MS = 300;
/**
 * After too many ran, rings spin again when few have run for so long, in milliseconds: in a flow of many short nodes the number
 * crosses the limit many times a second.
 */
const SPIN_AGAIN_MS = 1_000;

/**
 * Sets `data-crowded` while too many nodes run to animate what happens to them, and `data-spinning-rings` while few have run for
 * long enough to let their rings spin. The style sheets and scripts follow.
 */
export function AnimationLimit() {
  const isCrowded = useRunHeadNow((head) => runningNodes(head) > MAX_ANIMATED_NODES);
  const areMany = useRunHeadNow((head) => runningNodes(head) > MAX_SPINNING_RINGS);
  const isAny = useRunHeadNow((head) => runningNodes(head) > 0);
  const wereMany = useRef(false);
  useEffect(() => {
    const page = document.documentElement;
    page.toggleAttribute("data-crowded", isCrowded);
    return () => page.removeAttribute("data-crowded");
  }, [isCrowded]);
  useEffect(() => {
    if (areMany) {
      wereMany.current = true;
      return;
    }
    const timer = setTimeout(() => {
      wereMany.current = false;
    }, SPIN_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [areMany]);
  useEffect(() => {
    const page = document.documentElement;
    if (areMany || !isAny) return;
    const spin = () => page.setAttribute("data-spinning-rings", "");
    const timer = setTimeout(spin, wereMany.current ? SPIN_AGAIN_MS : SPIN_AFTER_MS);
    return () => {
      clearTimeout(timer);
      page.removeAttribute("data-spinning-rings");
    };
  }, [areMany, isAny]);
  return null;
}

const runningNodes = ({ counts }: RunHead): number => counts.running + counts.retrying;
