import { Search, X } from "lucide-react";
import { type KeyboardEvent, useCallback, useMemo, useState } from "react";
import type { NodeDescriptor } from "@/bindings";
import { TypeBadge } from "@/design/icons/Icon";
import { formatKeys, isComposing } from "@/design/keys/keys";
import { Empty } from "@/design/text/Empty";
import { PALETTE_SECTIONS } from "@/flow/node-types/node-types";
import { useKeys, useNodeTypes, useWorkspace } from "@/workspace/context";
import { useTypeDrag } from "./drag";
import { searchTypes } from "./search";
import { TEXTS } from "./texts";

/** The node types, by category: search them, drag them onto the canvas, or press Enter to add one in its middle. */
export function NodesPanel() {
  const [query, setQuery] = useState("");
  const forget = useCallback(() => setQuery(""), []);
  const add = useAddNode(forget);
  const searchKeys = useKeys("view.searchNodes");
  const types = useNodeTypes((known) => known.list);
  const found = useMemo(() => searchTypes(types, query), [types, query]);
  const groups =
    query.trim() === ""
      ? byCategory(found)
      : [{ id: "found", title: `${found.length} ${found.length === 1 ? "result" : "results"}`, types: found }];
  return (
    <section className="flex h-full flex-col" aria-label={TEXTS.nodeTypes} onKeyDown={moveFocus}>
      <div className="p-2.5 pb-1.5">
        <div className="flex h-8 items-center gap-2 rounded-md border border-line bg-bg px-2.5 focus-within:border-accent">
          <Search size={14} className="shrink-0 text-fg-3" aria-hidden />
          <input
            id="palette-search"
            data-testid="palette-search"
            className="min-w-0 flex-1 bg-transparent outline-none"
            placeholder={TEXTS.searchCount(types.length)}
            aria-label={TEXTS.searchNodeTypes}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => {
              if (isComposing(event)) return;
              if (event.key === "Escape") {
                if (query === "") return event.currentTarget.blur();
                event.preventDefault();
                setQuery("");
              }
              const [best] = found;
              if (event.key === "Enter" && best && query !== "") add(best);
            }}
          />
          {query === "" ? (
            <kbd className="font-mono text-fg-3 text-xs">{searchKeys ? formatKeys(searchKeys) : null}</kbd>
          ) : (
            <button
              type="button"
              aria-label={TEXTS.clearSearch}
              className="text-fg-3 hover:text-fg"
              onClick={() => setQuery("")}
            >
              <X size={14} aria-hidden />
            </button>
          )}
        </div>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2.5 pb-3" data-palette-list>
        {groups.map((group) => (
          <fieldset key={group.id} aria-label={group.title}>
            <h2 className="mx-0.5 mt-2.5 mb-1 font-semibold text-2xs text-fg-3 uppercase tracking-[0.05em]">
              {group.title}
            </h2>
            {group.types.map((type) => (
              <PaletteItem key={type.type} type={type} onPlaced={forget} />
            ))}
          </fieldset>
        ))}
        {found.length === 0 ? (
          <Empty title={TEXTS.noNodeTypeMatches(query)}>
            <p>{TEXTS.tryAnotherWordExample}</p>
          </Empty>
        ) : null}
      </div>
    </section>
  );
}

function PaletteItem({ type, onPlaced }: { type: NodeDescriptor; onPlaced: () => void }) {
  const add = useAddNode(onPlaced);
  const onPointerDown = useTypeDrag(type, onPlaced);
  return (
    <button
      type="button"
      className="block w-full touch-none select-none overflow-hidden rounded-md px-1.5 py-1.5 text-left hover:bg-bg-3"
      data-testid={`palette-${type.type}`}
      data-palette-item
      title={TEXTS.dragCanvasPressEnter(type.summary)}
      onPointerDown={onPointerDown}
      onDoubleClick={() => add(type)}
      // A click without a pointer: from the keyboard, or from what reads the page aloud.
      onClick={(event) => event.detail === 0 && add(type)}
    >
      {/* WebKit lets the contents of a button that is itself a flex box grow past it. */}
      <span className="flex w-full min-w-0 items-center gap-2.5">
        <TypeBadge type={type} />
        <span className="block min-w-0 flex-1">
          <b className="block truncate font-medium leading-[1.3]">{type.title}</b>
          <span className="block truncate text-fg-3 text-xs leading-[1.25]">{gist(type.summary)}</span>
        </span>
      </span>
    </button>
  );
}

/** Adds a node in the middle of the view; a panel that covers the canvas makes way for it. */
function useAddNode(onPlaced: () => void): (type: NodeDescriptor) => void {
  const { canvas, layout } = useWorkspace();
  return (type) => {
    if (canvas.addNode(type.type) === undefined) return;
    onPlaced();
    layout.uncoverCanvas("left");
  };
}

/** A short summary for a narrow panel: up to the first colon or semicolon. The tooltip has all of it. */
function gist(summary: string): string {
  return summary.split(/[:;]/, 1)[0] ?? summary;
}

/** The arrow keys go from item to item, and from the search to the first of them. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-palette-item]")];
  const here = items.indexOf(document.activeElement as HTMLElement);
  const next = items[here + (event.key === "ArrowDown" ? 1 : -1)];
  event.preventDefault();
  if (next) next.focus();
  else if (event.key === "ArrowUp") document.getElementById("palette-search")?.focus();
}

function byCategory(types: readonly NodeDescriptor[]) {
  return PALETTE_SECTIONS.map(({ id, title }) => ({
    id,
    title,
    types: types.filter((type) => type.category === id),
  })).filter((group) => group.types.length > 0);
}
