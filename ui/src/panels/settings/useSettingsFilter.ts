import { type RefObject, useLayoutEffect, useState } from "react";

/**
 * Hides the settings without every word of the query in their words and descriptions, and the sections without any
 * left, and counts the rest. A setting is an element with `data-setting`; a section without such parts is one setting.
 *
 * It reads the drawn text, so that a setting is found by every word that a person can read, also in texts that the host
 * sends later.
 */
export function useSettingsFilter(root: RefObject<HTMLElement | null>, query: string): number {
  const [count, setCount] = useState(0);
  useLayoutEffect(() => {
    const page = root.current;
    if (!page) return;
    const apply = () => setCount(filterSettings(page, query));
    apply();
    const observer = new MutationObserver(apply);
    observer.observe(page, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [root, query]);
  return count;
}

export function filterSettings(page: HTMLElement, query: string): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const section of page.querySelectorAll<HTMLElement>("[data-settings-section]")) {
    const title = section.getAttribute("aria-label") ?? "";
    const parts = [...section.querySelectorAll<HTMLElement>("[data-setting]")];
    const settings = parts.length > 0 ? parts : [section];
    let left = 0;
    for (const setting of settings) {
      const found = hasAll(`${title} ${wordsOf(setting)}`, words);
      if (setting !== section) setting.hidden = !found;
      if (found) left += 1;
    }
    section.hidden = left === 0;
    count += left;
  }
  return count;
}

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** What can be read of a setting, also by a screen reader: text, descriptions and names. */
function wordsOf(setting: HTMLElement): string {
  const texts = [setting.textContent ?? "", setting.dataset.setting ?? ""];
  for (const element of [setting, ...setting.querySelectorAll("[title], [aria-label], [placeholder]")]) {
    for (const name of ["title", "aria-label", "placeholder"]) texts.push(element.getAttribute(name) ?? "");
  }
  return texts.join(" ");
}
