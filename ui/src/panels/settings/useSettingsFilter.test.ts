import { beforeEach, expect, test } from "vitest";
import { filterSettings } from "./useSettingsFilter";

const PAGE = `
  <section data-settings-section aria-label="Appearance">
    <div data-setting="color" id="theme"><label>Theme</label></div>
    <div data-setting id="motion"><label>Reduce motion</label></div>
  </section>
  <section data-settings-section aria-label="Run limits" id="limits">
    <div data-setting id="runs"><label title="How many runs a tree may have">Max runs</label></div>
  </section>
  <section data-settings-section aria-label="Redaction" id="redaction"><p>Texts that match are replaced.</p></section>`;

let page: HTMLElement;
beforeEach(() => {
  page = document.createElement("div");
  page.innerHTML = PAGE;
});

const hidden = () => [...page.querySelectorAll<HTMLElement>("[id]")].filter((one) => one.hidden).map((one) => one.id);

test("every setting shows without a query", () => {
  expect(filterSettings(page, " ")).toBe(4);
  expect(hidden()).toEqual([]);
});

test("a setting is found by its label, its description, its section and its other words", () => {
  expect(filterSettings(page, "MOTION reduce")).toBe(1);
  expect(hidden()).toEqual(["theme", "runs", "limits", "redaction"].sort((a, b) => order(a) - order(b)));
  expect(filterSettings(page, "tree")).toBe(1);
  expect(filterSettings(page, "appearance")).toBe(2);
  expect(filterSettings(page, "color")).toBe(1);
  expect(filterSettings(page, "replaced")).toBe(1);
  expect(filterSettings(page, "nothing like that")).toBe(0);
});

const order = (id: string) => ["theme", "motion", "limits", "runs", "redaction"].indexOf(id);
