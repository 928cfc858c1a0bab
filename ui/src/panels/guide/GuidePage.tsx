import { ArrowLeft, ArrowRight, X } from "lucide-react";
import { type KeyboardEvent, type RefObject, useDeferredValue, useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import { IconButton } from "@/design/controls/Button";
import { SearchField } from "@/design/controls/SearchField";
import { isComposing } from "@/design/keys/keys";
import DocumentText, { isExternal } from "@/design/markdown/DocumentText";
import { Empty } from "@/design/text/Empty";
import { useWorkspace } from "@/workspace/context";
import type { GuidePlace } from "@/workspace/guide";
import { GUIDE, imageAddress, neighborsOf, PAGES, type Page, placeOfLink } from "./pages";
import { type SearchResult, searchGuide } from "./search";
import { TEXTS } from "./texts";
import "./guide.css";

/** The pages of `docs/`, with their list, a search and the way back. */
export function GuidePage() {
  const { guide, layout } = useWorkspace();
  const { visited, current } = useStore(guide.store);
  const place = visited[current];
  const [query, setQuery] = useState("");
  const wanted = useDeferredValue(query).trim();
  const [notice, setNotice] = useState("");
  const box = useRef<HTMLElement>(null);
  useKeyboard(box);
  useLeaveForRun();
  const page = PAGES.find((one) => one.file === place?.page) ?? PAGES[0];
  const goTo = (next: GuidePlace) => {
    setQuery("");
    setNotice("");
    guide.goTo(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") {
      event.preventDefault();
      if (query === "") layout.closePage();
      else setQuery("");
    } else if (event.altKey && event.key === "ArrowLeft") {
      event.preventDefault();
      guide.back();
    } else if (event.altKey && event.key === "ArrowRight") {
      event.preventDefault();
      guide.forward();
    }
  };
  return (
    <section
      ref={box}
      tabIndex={-1}
      className="flex h-full flex-col bg-bg outline-none"
      aria-label={TEXTS.guide}
      data-testid="guide"
      onKeyDown={onKeyDown}
    >
      <header className="flex h-11 shrink-0 items-center gap-1 border-line border-b bg-bg-1 px-3">
        <h2 className="mr-2 font-semibold">{TEXTS.guide}</h2>
        <IconButton
          label={TEXTS.back}
          keys="Alt+ArrowLeft"
          icon={<ArrowLeft size={16} aria-hidden />}
          disabled={current === 0}
          onClick={() => guide.back()}
        />
        <IconButton
          label={TEXTS.forward}
          keys="Alt+ArrowRight"
          icon={<ArrowRight size={16} aria-hidden />}
          disabled={current === visited.length - 1}
          onClick={() => guide.forward()}
        />
        <div className="mx-2 w-full max-w-80">
          <SearchField label={TEXTS.search} value={query} onChange={setQuery} testId="guide-search" />
        </div>
        <p className="min-w-0 flex-1 truncate text-fg-2 text-sm" role="status" title={notice}>
          {notice}
        </p>
        <IconButton
          label={TEXTS.close}
          keys="Escape"
          icon={<X size={16} aria-hidden />}
          data-testid="guide-close"
          onClick={() => layout.closePage()}
        />
      </header>
      <div className="flex min-h-0 flex-1">
        <PageList current={page?.file} goTo={goTo} />
        {wanted !== "" ? (
          <Results query={wanted} goTo={goTo} />
        ) : page && place ? (
          <PageText key={`${current} ${page.file}`} page={page} place={place} goTo={goTo} say={setNotice} />
        ) : null}
      </div>
    </section>
  );
}

/** The search has the focus first. When the page closes, the earlier focus returns. */
function useKeyboard(box: RefObject<HTMLElement | null>): void {
  const [before] = useState(() => document.activeElement);
  useEffect(() => {
    box.current?.querySelector<HTMLElement>("[type=search]")?.focus();
    return () => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    };
  }, [box, before]);
}

/** Opening a run shows it. */
function useLeaveForRun(): void {
  const { editor, layout } = useWorkspace();
  useEffect(
    () =>
      editor.store.subscribe((now, before) => {
        if (now.viewing !== before.viewing) layout.closePage();
      }),
    [editor, layout],
  );
}

type GoTo = (place: GuidePlace) => void;

function PageList({ current, goTo }: { current: string | undefined; goTo: GoTo }) {
  return (
    <nav className="guide-list w-52 shrink-0 overflow-y-auto border-line border-r bg-bg-1 p-2" aria-label={TEXTS.pages}>
      {GUIDE.map((part) => (
        <section key={part.title} className="mb-3">
          <h3 className="px-2 py-1 font-semibold text-2xs text-fg-3 uppercase tracking-[0.05em]">{part.title}</h3>
          {part.pages.map((page) => (
            <button
              key={page.file}
              type="button"
              aria-current={page.file === current ? "page" : undefined}
              className="block w-full rounded-md px-2 py-1 text-left text-fg-2 text-sm hover:bg-bg-3 hover:text-fg aria-[current]:bg-bg-3 aria-[current]:font-medium aria-[current]:text-fg"
              onClick={() => goTo({ page: page.file })}
            >
              {page.title}
            </button>
          ))}
        </section>
      ))}
    </nav>
  );
}

type PageProps = { page: Page; place: GuidePlace; goTo: GoTo; say: (notice: string) => void };

function PageText({ page, place, goTo, say }: PageProps) {
  const text = useRef<HTMLElement>(null);
  useEffect(() => showPlace(text.current, place), [place]);
  const { previous, next } = neighborsOf(page.file);
  const onLink = (href: string) => {
    if (isExternal(href)) void copyAddress(href).then(say, () => say(href));
    else {
      const target = placeOfLink(href, page.file);
      if (target) goTo(target);
    }
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also without a pointer.
    <article ref={text} tabIndex={0} className="min-w-0 flex-1 overflow-y-auto px-8 py-5" aria-label={page.title}>
      <div className="markdown document mx-auto max-w-[760px]" data-testid="guide-text">
        <DocumentText text={page.text} imageAddress={imageAddress} onLink={onLink} />
      </div>
      <div className="mx-auto mt-8 flex max-w-[760px] justify-between gap-4 border-line border-t pt-3 text-sm">
        {previous ? <Neighbor page={previous} label={TEXTS.previousPage} arrow="left" goTo={goTo} /> : <span />}
        {next ? <Neighbor page={next} label={TEXTS.nextPage} arrow="right" goTo={goTo} /> : null}
      </div>
    </article>
  );
}

type NeighborProps = { page: Page; label: string; arrow: "left" | "right"; goTo: GoTo };

function Neighbor({ page, label, arrow, goTo }: NeighborProps) {
  const Sign = arrow === "left" ? ArrowLeft : ArrowRight;
  return (
    <button
      type="button"
      className={`flex items-center gap-2 rounded-md px-2 py-1 text-fg-2 hover:bg-bg-3 hover:text-fg ${arrow === "right" ? "flex-row-reverse" : ""}`}
      aria-label={`${label}: ${page.title}`}
      onClick={() => goTo({ page: page.file })}
    >
      <Sign size={14} aria-hidden /> {page.title}
    </button>
  );
}

function Results({ query, goTo }: { query: string; goTo: GoTo }) {
  const results = searchGuide(PAGES, query);
  return (
    <div className="min-w-0 flex-1 overflow-y-auto px-8 py-5">
      <p className="mx-auto max-w-[760px] text-fg-2 text-sm" role="status">
        {results.length === 0 ? null : TEXTS.resultCount(results.length)}
      </p>
      {results.length === 0 ? (
        <Empty title={TEXTS.noMatches}>
          <p>{TEXTS.noMatchesHint}</p>
        </Empty>
      ) : (
        <ul className="mx-auto max-w-[760px]" aria-label={TEXTS.results}>
          {results.map((result) => (
            <Result key={`${result.page.file}#${result.section.anchor}`} result={result} goTo={goTo} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Result({ result: { page, section, excerpt }, goTo }: { result: SearchResult; goTo: GoTo }) {
  return (
    <li>
      <button
        type="button"
        className="-mx-2 block w-full rounded-md px-2 py-2 text-left hover:bg-bg-3"
        data-testid="guide-result"
        onClick={() => goTo({ page: page.file, anchor: section.anchor })}
      >
        <span className="font-medium">{page.title}</span>
        {section.heading === page.title ? null : <span className="text-fg-2"> › {section.heading}</span>}
        <span className="mt-0.5 block text-fg-2 text-sm">{excerpt}</span>
      </button>
    </li>
  );
}

/** The window reaches no network and starts no browser: the person opens the address where they like. */
async function copyAddress(address: string): Promise<string> {
  await navigator.clipboard.writeText(address);
  return TEXTS.addressCopied(address);
}

/** Scrolls to a heading or to the row of a table, and marks the row. */
function showPlace(text: HTMLElement | null, { anchor, row }: GuidePlace): void {
  if (!text) return;
  if (row !== undefined) {
    const cell = [...text.querySelectorAll("td:first-child code")].find((one) => one.textContent === row);
    const found = cell?.closest("tr");
    found?.setAttribute("data-found", "");
    found?.scrollIntoView({ block: "center" });
  } else if (anchor !== undefined) {
    const heading = text.querySelector<HTMLElement>(`#${CSS.escape(anchor)}`);
    heading?.scrollIntoView({ block: "start" });
    heading?.focus({ preventScroll: true });
  }
  // The link or button that led here may be gone or off, and without the keyboard in the guide its keys would do nothing.
  if (document.activeElement?.matches("body, :disabled")) text.focus();
}
