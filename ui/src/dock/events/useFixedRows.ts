import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useSize } from "../useSize";

/** Rows drawn above and below the visible ones, so that a quick scroll shows no gap. */
const OVERSCAN_ROWS = 12;
/** The same while the end is followed: all rows change with each growth. */
const FOLLOWING_OVERSCAN_ROWS = 4;
const NEAR_END_PX = 40;

/**
 * Which rows of equal height are in view (`first` to `last`), and which are drawn (`from` up to `to`) in the `content`. Its
 * cost does not grow with their number; a library that measures rows looks at all of them whenever one is added, which a
 * journal that grows by thousands a second cannot bear. While the end is in view and `follows`, it stays in view.
 */
export function useFixedRows(scroller: RefObject<HTMLElement | null>, count: number, height: number, follows: boolean) {
  const size = useSize(scroller);
  const [scrolled, setScrolled] = useState(0);
  const [atEnd, setAtEnd] = useState(true);
  const end = Math.max(0, count * height - size.height);
  // At the end the place is known before the page has scrolled there, so each growth is drawn once.
  const top = atEnd ? end : scrolled;
  const first = Math.floor(top / height);
  const last = Math.min(count, Math.ceil((top + size.height) / height)) - 1;
  const overscan = atEnd ? FOLLOWING_OVERSCAN_ROWS : OVERSCAN_ROWS;
  const from = Math.max(0, first - overscan);
  const to = Math.min(count, last + 1 + overscan);

  // Scrolls once the rows are laid out: any sooner, scrolling would force a layout of its own.
  const content = useRef<HTMLDivElement>(null);
  /** Where it was scrolled to last, which is not the end any more once more rows have come. */
  const reached = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => {
    const box = scroller.current;
    if (!atEnd || !box || !content.current) return;
    const follow = new ResizeObserver(() => {
      box.scrollTop = box.scrollHeight;
      reached.current = box.scrollHeight - box.clientHeight;
    });
    follow.observe(content.current);
    follow.observe(box);
    return () => {
      follow.disconnect();
      reached.current = Number.POSITIVE_INFINITY;
    };
  }, [scroller, atEnd]);

  useLayoutEffect(() => {
    const box = scroller.current;
    if (follows || !box) return;
    setAtEnd(false);
    setScrolled(box.scrollTop);
  }, [scroller, follows]);

  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const stays = follows && Math.min(end, reached.current) - box.scrollTop < NEAR_END_PX;
    setAtEnd(stays);
    if (!stays) setScrolled(box.scrollTop);
  };
  /** Scrolls as little as is needed to have that row in view. */
  const show = (row: number) => {
    const box = scroller.current;
    if (!box) return;
    if (row * height < box.scrollTop) box.scrollTop = row * height;
    else if ((row + 1) * height > box.scrollTop + box.clientHeight)
      box.scrollTop = (row + 1) * height - box.clientHeight;
    // The event comes with the next frame, in which a list that still follows would be back at its end.
    onScroll();
  };
  return { content, from, to, first, last, total: count * height, onScroll, show };
}
