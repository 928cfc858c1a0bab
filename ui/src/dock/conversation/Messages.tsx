import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { ContextId } from "@/bindings";
import { Empty } from "@/design/text/Empty";
import { epochOf } from "@/run/fold/epoch";
import type { OpenPause } from "@/run/fold/types";
import { useContextView, useNodeOf } from "@/workspace/run-hooks";
import type { Item } from "./conversation-items";
import { Row } from "./MessageRow";
import { PauseCard } from "./PauseCard";
import { StreamingRow } from "./StreamingRow";
import { TEXTS } from "./texts";

/** How near the end still counts as being there. */
const NEAR_END = 40;

/** The items one below the other; only items in view are drawn. Stays at the end while the end is in view. */
export function Messages({
  items,
  context,
  pauses,
}: {
  items: readonly Item[];
  context: ContextId | undefined;
  pauses: readonly OpenPause[];
}) {
  const scroller = useRef<HTMLElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const [atQuestion, setAtQuestion] = useState(false);
  // A new function makes the virtualizer measure all items anew, in each of its renders.
  const keyOf = useCallback((index: number) => items[index]?.key ?? index, [items]);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 46,
    getItemKey: keyOf,
    overscan: 6,
  });
  const total = virtual.getTotalSize();
  const streams = useStreams(context);

  const content = useRef<HTMLDivElement>(null);
  const questions = useRef<HTMLDivElement>(null);
  const toEnd = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    // Of a question that is longer than there is room, its beginning is shown.
    const lastQuestion = questions.current?.lastElementChild;
    if (lastQuestion && lastQuestion.clientHeight > box.clientHeight) {
      // Not `scrollIntoView`: it would scroll the window as well.
      box.scrollTop += lastQuestion.getBoundingClientRect().top - box.getBoundingClientRect().top;
      setAtEnd(false);
    } else {
      box.scrollTop = box.scrollHeight;
    }
  }, []);
  // Reaching the end is no reason to move: of a long question, the end is where it is answered.
  const follows = useRef(atEnd);
  follows.current = atEnd;
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something was added and the end was in view.
  useLayoutEffect(() => {
    if (follows.current) toEnd();
  }, [total, items.length, streams, pauses, toEnd]);
  // The end stays in view while a reply grows, which nothing here is rendered for, and when a question below takes room.
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (follows.current) toEnd();
    });
    for (const box of [scroller.current, content.current]) if (box) observer.observe(box);
    return () => observer.disconnect();
  }, [toEnd]);
  const lastTop = useRef(0);

  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label={TEXTS.messages}
        // Positioned absolutely and contained: a line more lays out and paints nothing but this, not the page.
        className="absolute inset-0 overflow-auto px-3.5 py-2.5 contain-strict"
        data-testid="messages"
        onScroll={(event) => {
          const box = event.currentTarget;
          // Growth is no reason to stop: only a person scrolls up.
          const isUp = box.scrollTop < lastTop.current;
          lastTop.current = box.scrollTop;
          const isNearEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END;
          setAtEnd((before) => isNearEnd || (before && !isUp));
          const last = questions.current?.lastElementChild?.getBoundingClientRect();
          setAtQuestion(last !== undefined && last.top < box.getBoundingClientRect().bottom - NEAR_END);
        }}
      >
        <div ref={content}>
          {items.length === 0 && !streams && pauses.length === 0 ? (
            <Empty title={TEXTS.noMessagesYet}>
              <p>{TEXTS.messagesAppearWhileFlow}</p>
            </Empty>
          ) : (
            <div className="relative w-full" style={{ height: total }}>
              {virtual.getVirtualItems().map((row) => {
                const item = items[row.index];
                return item ? (
                  <div
                    key={row.key}
                    data-index={row.index}
                    ref={virtual.measureElement}
                    className="absolute top-0 left-0 w-full pb-2"
                    style={{ transform: `translateY(${row.start}px)` }}
                  >
                    <Row item={item} />
                  </div>
                ) : null;
              })}
            </div>
          )}
          {context !== undefined ? <StreamingRow context={context} /> : null}
          {pauses.length > 0 ? (
            <div ref={questions} className="flex flex-col gap-2 pt-1" data-testid="pauses">
              {pauses.map((pause) => (
                <PauseCard
                  key={`${pause.asker?.run ?? ""}/${pause.asker?.node ?? pause.node}/${pause.epoch.join(".")}/${pause.askedAt}`}
                  pause={pause}
                />
              ))}
            </div>
          ) : null}
        </div>
      </section>
      {/* Nothing is newer than the question that is being read. */}
      {atEnd || atQuestion ? null : (
        <button
          type="button"
          className="absolute right-3 bottom-2 inline-flex items-center gap-1 rounded-full border border-line bg-bg-2 px-2.5 py-1 text-fg-2 text-xs shadow-pop hover:text-fg"
          onClick={toEnd}
        >
          <ArrowDown size={12} aria-hidden /> {TEXTS.latest}
        </button>
      )}
    </div>
  );
}

/** Whether a reply is streaming in the context. */
function useStreams(context: ContextId | undefined): boolean {
  const turn = useContextView(context)?.turn;
  return useNodeOf(turn?.node ?? "", (view) => turn !== undefined && epochOf(view, turn.epoch) !== undefined);
}
