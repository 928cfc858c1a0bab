import { X } from "lucide-react";
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from "react";
import { IconButton } from "@/design/controls/Button";
import { SearchField } from "@/design/controls/SearchField";
import { isComposing } from "@/design/keys/keys";
import { Empty } from "@/design/text/Empty";
import { useLayout, useWorkspace } from "@/workspace/context";
import { SECTIONS } from "./sections";
import { TEXTS } from "./texts";
import { useSettingsFilter } from "./useSettingsFilter";

/** How far below the top of the page the section that is read may begin, in pixels. */
const READING_LINE = 60;

/** What a window of a host has settings of: the others are those of the host. */
const OF_THE_WINDOW: readonly string[] = ["appearance", "about"];

/** All settings on one page: a list of the sections, and a search in all of them. */
export function SettingsPage() {
  const { layout, remote } = useWorkspace();
  const sections = remote ? SECTIONS.filter(({ id }) => OF_THE_WINDOW.includes(id)) : SECTIONS;
  const page = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState("");
  const [current, setCurrent] = useState<string>(SECTIONS[0]?.id ?? "");
  const count = useSettingsFilter(content, query);
  const show = useCallback((id: string) => {
    const heading = content.current?.querySelector<HTMLElement>(`[data-settings-section=${id}] h3`);
    heading?.focus({ preventScroll: true });
    heading?.scrollIntoView?.({ block: "start" });
    setCurrent(id);
  }, []);
  useShownSection(show, page);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || isComposing(event)) return;
    event.preventDefault();
    if (query !== "") setQuery("");
    else layout.closePage();
  };
  return (
    <section
      ref={page}
      tabIndex={-1}
      aria-label={TEXTS.settings}
      data-testid="settings-page"
      className="@container flex h-full flex-col bg-bg outline-none"
      onKeyDown={onKeyDown}
    >
      <header className="flex h-[46px] shrink-0 items-center gap-3 border-line border-b px-4">
        <h2 className="font-semibold text-lg">{TEXTS.settings}</h2>
        <div className="ml-auto w-[320px] min-w-0">
          <SearchField
            label={TEXTS.searchSettings}
            testId="settings-search"
            value={query}
            onChange={(next) => {
              setQuery(next);
              content.current?.scrollTo?.(0, 0);
            }}
          />
        </div>
        <span className="w-[9ch] shrink-0 text-fg-3 text-xs" role="status" data-testid="settings-found">
          {query.trim() === "" ? "" : TEXTS.found(count)}
        </span>
        <IconButton label={TEXTS.closeSettings} icon={<X size={16} />} onClick={() => layout.closePage()} />
      </header>
      <div className="flex min-h-0 flex-1">
        <nav
          className="w-[190px] shrink-0 overflow-y-auto border-line border-r p-2 @max-[720px]:hidden"
          aria-label={TEXTS.sections}
        >
          {sections.map(({ id, title }) => (
            <button
              key={id}
              type="button"
              className="list-row text-sm"
              aria-current={current === id ? "true" : undefined}
              onClick={() => {
                setQuery("");
                requestAnimationFrame(() => show(id));
              }}
            >
              {title}
            </button>
          ))}
        </nav>
        <div
          ref={content}
          className="min-w-0 flex-1 overflow-y-auto px-6 py-4"
          onScroll={(event) => setCurrent(sectionAt(event.currentTarget) ?? current)}
        >
          <div className="mx-auto max-w-[680px]">
            {remote ? <p className="mb-4 text-fg-2">{TEXTS.settingsOfHost(remote.name)}</p> : null}
            {sections.map(({ id, title, Component }) => (
              <section key={id} className="mb-8" aria-label={title} data-settings-section={id}>
                <h3 tabIndex={-1} className="mb-3 scroll-mt-4 border-line border-b pb-1.5 font-semibold text-base">
                  {title}
                </h3>
                <Component id={id} />
              </section>
            ))}
            {count === 0 ? (
              <Empty title={TEXTS.noSettingMatches(query)}>
                <p>{TEXTS.tryAnotherWord}</p>
              </Empty>
            ) : null}
          </div>
        </div>
      </div>
    </section>
  );
}

/** Brings a section into view that another part of the window leads to; else the search field has the focus at first. */
function useShownSection(show: (id: string) => void, page: React.RefObject<HTMLElement | null>): void {
  const { layout } = useWorkspace();
  const section = useLayout((state) => state.shownSection);
  useEffect(() => {
    if (section === undefined) return;
    show(section);
    layout.sectionShown();
  }, [section, show, layout]);
  useEffect(() => {
    const { shownSection, shownProvider } = layout.store.getState();
    if (shownSection !== undefined || shownProvider !== undefined) return;
    if (page.current?.contains(document.activeElement)) return;
    page.current?.querySelector<HTMLElement>("[data-testid=settings-search]")?.focus();
  }, [layout, page]);
}

/** The section that is read: the last one that begins above the reading line. */
function sectionAt(content: HTMLElement): string | undefined {
  const line = content.getBoundingClientRect().top + READING_LINE;
  const sections = [...content.querySelectorAll<HTMLElement>("[data-settings-section]:not([hidden])")];
  return sections.findLast((one) => one.getBoundingClientRect().top <= line)?.dataset.settingsSection;
}
