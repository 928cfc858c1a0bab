import { Waypoints } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import type { LineageDirection, LineageSpot, RunId, TextRange } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { formatJson } from "@/design/json/exact-json";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** A place whose text can be followed. */
export type TextPlace = { run: RunId; spot: LineageSpot };

type Props = TextPlace & {
  value: unknown;
  /** How much of the text of the place stands before this value. */
  offset?: number;
  children: ReactNode;
};

/** The part of a value that is selected: as a range of a text, or as a text that occurs once in the JSON of another value. */
type Selected = { range: TextRange } | { text: string };

/** A value whose text can be followed: what is selected in it offers where it comes from, and where it went. */
export function Traceable({ run, spot, value, offset = 0, children }: Props) {
  const workspace = useWorkspace();
  const element = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState<Selected>();
  useEffect(() => {
    const update = () => setSelected(element.current ? selectedIn(element.current, value, offset) : undefined);
    document.addEventListener("selectionchange", update);
    return () => document.removeEventListener("selectionchange", update);
  }, [value, offset]);
  const shown = useStore(workspace.lineage.store, ({ lineage }) => lineage?.shown);
  const isShown = shown?.run === run && JSON.stringify(shown.spot) === JSON.stringify(spot);
  useEffect(() => {
    if (!isShown || typeof value !== "string" || !element.current) return;
    selectRange(element.current, shown.range.start - offset, shown.range.end - offset);
  }, [isShown, shown, value, offset]);
  const follow = (direction: LineageDirection) => {
    if (!selected) return;
    workspace.layout.showDockTab("lineage");
    void workspace.lineage.follow({ run, spot, direction, occurrence: 0, ...selected });
  };
  return (
    <>
      <div ref={element}>{children}</div>
      {selected ? (
        // A press on a button leaves the selection as it is.
        <div className="mt-1 flex flex-wrap gap-1.5" onPointerDown={(event) => event.preventDefault()}>
          <Button className="h-[26px] px-2 text-xs" onMouseDown={keepSelection} onClick={() => follow("from")}>
            {TEXTS.whereFrom}
          </Button>
          <Button className="h-[26px] px-2 text-xs" onMouseDown={keepSelection} onClick={() => follow("to")}>
            {TEXTS.whereTo}
          </Button>
        </div>
      ) : null}
    </>
  );
}

function keepSelection(event: { preventDefault: () => void }): void {
  event.preventDefault();
}

/** What is selected within an element that shows a value. Nothing if it is not clear which part of the value it is. */
function selectedIn(element: HTMLElement, value: unknown, offset: number): Selected | undefined {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  if (!element.contains(range.startContainer) || !element.contains(range.endContainer)) return undefined;
  const text = range.toString();
  if (text.trim() === "") return undefined;
  if (typeof value === "string") {
    const before = document.createRange();
    before.setStart(element, 0);
    before.setEnd(range.startContainer, range.startOffset);
    const start = before.toString().length;
    if (value.slice(start, start + text.length) !== text) return undefined;
    return { range: { start: offset + start, end: offset + start + text.length } };
  }
  // The tree of a value is no text of it: only what occurs once is the same in both.
  return formatJson(value)?.split(text).length === 2 ? { text } : undefined;
}

/** Selects a part of the text in an element, and brings it into view. */
function selectRange(element: HTMLElement, start: number, end: number): void {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let at = 0;
  let begun = false;
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const { length } = node.textContent ?? "";
    if (!begun && start >= 0 && start <= at + length) {
      range.setStart(node, start - at);
      begun = true;
    }
    if (begun && end <= at + length) {
      range.setEnd(node, end - at);
      document.getSelection()?.removeAllRanges();
      document.getSelection()?.addRange(range);
      range.startContainer.parentElement?.scrollIntoView?.({ block: "nearest" });
      return;
    }
    at += length;
  }
}

/** Follows the whole of a value, for people who do not select with a pointer. */
export function FollowButton({ run, spot, label }: TextPlace & { label: string }) {
  const { layout, lineage } = useWorkspace();
  return (
    <button
      type="button"
      aria-label={label}
      title={TEXTS.whereFrom}
      className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-fg-3 hover:bg-bg-3 hover:text-fg"
      onClick={() => {
        layout.showDockTab("lineage");
        void lineage.follow({ run, spot, direction: "from", occurrence: 0 });
      }}
    >
      <Waypoints size={13} aria-hidden />
    </button>
  );
}
