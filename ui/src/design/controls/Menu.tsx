import { Menu } from "@base-ui/react/menu";
import { Command as List } from "cmdk";
import { createContext, type ReactNode, type RefObject, useContext, useLayoutEffect, useRef, useState } from "react";
import type { TypeAhead } from "./type-ahead";

/** The search text. With one, the matches are a single list, best first, because cmdk does not order groups. */
const Search = createContext("");

/** The text typed into the menu around, for a part of it that is too long to be listed whole. */
export function useMenuSearch(): string {
  return useContext(Search);
}

/** A list one types into: the shared body of the command palette, of quick add and of connecting by keyboard. */
export function MenuList({
  label,
  placeholder,
  empty,
  filter = rank,
  onSearch,
  typeAhead,
  children,
}: {
  label: string;
  placeholder: string;
  empty: string;
  /** How well an item matches the typed text. */
  filter?: typeof rank;
  /** Receives the typed text. Its items are the matches, in groups; the menu itself filters none of them. */
  onSearch?: (search: string) => void;
  /** Has what was typed before the field had the focus. */
  typeAhead?: TypeAhead;
  children: ReactNode;
}) {
  const [search, setSearch] = useState("");
  const onType = (typed: string) => {
    setSearch(typed);
    onSearch?.(typed);
  };
  const list = useRef<HTMLDivElement>(null);
  useSelectionOf(list);
  return (
    <List ref={list} label={label} loop className="menu" filter={filter} shouldFilter={!onSearch}>
      <List.Input
        autoFocus
        placeholder={placeholder}
        className="menu-field"
        data-testid="menu-field"
        value={search}
        onValueChange={onType}
        onFocus={() => {
          const early = typeAhead?.take() ?? "";
          if (early !== "") onType(search + early);
        }}
      />
      <List.List className="menu-list">
        <List.Empty className="p-3 text-fg-2 text-sm">{empty}</List.Empty>
        <Search value={onSearch ? "" : search.trim()}>{children}</Search>
      </List.List>
    </List>
  );
}

/** Selects the first item if none is selected. cmdk does so too, except when several items go at once. */
function useSelectionOf(list: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    if (list.current?.querySelector("[role=option][aria-selected=true]")) return;
    list.current?.querySelector("[role=option]")?.dispatchEvent(new PointerEvent("pointermove", { bubbles: true }));
  });
}

export function MenuGroup({ heading, children }: { heading: ReactNode; children: ReactNode }) {
  if (useContext(Search) !== "") return children;
  return (
    <List.Group heading={heading} className="menu-group">
      {children}
    </List.Group>
  );
}

type ItemProps = {
  /** Unique in the list; the search looks in it and in the terms. */
  value: string;
  terms?: string[];
  onChoose: () => void;
  testId?: string;
  children: ReactNode;
};

export function MenuItem({ value, terms, onChoose, testId, children }: ItemProps) {
  return (
    <List.Item value={value} keywords={terms} onSelect={onChoose} className="menu-item" data-testid={testId}>
      {children}
    </List.Item>
  );
}

/** Every word must be in there; at the start of a word counts more, in the name more than in the terms. 0 is no match. */
export function rank(value: string, search: string, keywords?: string[]): number {
  const name = value.toLowerCase();
  const terms = (keywords ?? []).join(" ").toLowerCase();
  let worst = 1;
  for (const word of search.toLowerCase().split(/\s+/).filter(Boolean)) {
    const score = name.startsWith(word)
      ? 1
      : name.includes(` ${word}`)
        ? 0.8
        : name.includes(word)
          ? 0.6
          : terms.includes(word)
            ? 0.4
            : 0;
    worst = Math.min(worst, score);
  }
  return worst;
}

/** Where open menus are: above the page, in a landmark of their own, so that everything on the screen is in one. */
export function MenuPortal({ children }: { children: ReactNode }) {
  return <Menu.Portal render={<section aria-label="Menu" />}>{children}</Menu.Portal>;
}
