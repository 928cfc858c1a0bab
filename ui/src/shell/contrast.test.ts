/** Whether texts can be read: WCAG's contrast, computed from the tokens of both themes. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CANVAS_COLORS } from "@/bindings/constants";
import { TONES } from "./bars/StatusPill";

const AA = 4.5;
const THEMES = ["dark", "light"] as const;
const LEVELS = ["bg", "bg-1", "bg-2", "bg-3"];
const TEXT = ["fg", "fg-2", "fg-3", "context", "data", "tools", "ok", "bad", "wait", "info", "accent"];

type Color = readonly [number, number, number];

const css = readFileSync(join(import.meta.dirname, "../design/tokens.css"), "utf8");

function token(theme: string, name: string): Color {
  const block = css.split(`data-theme="${theme}"`)[1]?.split("}")[0] ?? "";
  const hex = new RegExp(`--${name}: #([0-9a-f]{6});`).exec(block)?.[1];
  if (!hex) throw new Error(`There is no token ${name} in the ${theme} theme.`);
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Color;
}

function luminance(color: Color): number {
  const [r, g, b] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Color;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: Color, other: Color): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** `over` drawn on `under` with that much of itself. */
function blend(over: Color, under: Color, share: number): Color {
  return over.map((part, at) => part * share + (under[at] ?? 0) * (1 - share)) as unknown as Color;
}

/** The effect of `hover:brightness-110` on a color. */
function brightened(color: Color): Color {
  return color.map((part) => Math.min(255, part * 1.1)) as unknown as Color;
}

/** The text and the fill of a pill, from its classes, on the top bar. */
function pill(theme: string, classes: string): { text: Color; fill: Color } {
  const found = /^bg-([a-z0-9-]+?)(?:\/(\d+))? text-([a-z0-9-]+)$/.exec(classes);
  if (!found) throw new Error(`Cannot tell the colors of “${classes}”.`);
  const [, fill = "", share = "100", text = ""] = found;
  return { text: token(theme, text), fill: blend(token(theme, fill), token(theme, "bg-1"), Number(share) / 100) };
}

describe.each(THEMES)("in the %s theme", (theme) => {
  it("names have enough contrast on the colors that people give to nodes", () => {
    const faint = CANVAS_COLORS.flatMap((color) =>
      ["bg-1", "bg-2"].flatMap((level) =>
        ["fg", "fg-2"].map((text) => {
          const surface = blend(token(theme, `tint-${color}`), token(theme, level), 0.24);
          return { text, color, ratio: contrast(token(theme, text), surface) };
        }),
      ),
    ).filter(({ ratio }) => ratio < AA);
    expect(faint).toEqual([]);
  });

  it("text has enough contrast on every surface", () => {
    const faint = TEXT.flatMap((text) => LEVELS.map((level) => [text, level] as const))
      .map(([text, level]) => ({ text, level, ratio: contrast(token(theme, text), token(theme, level)) }))
      .filter(({ ratio }) => ratio < AA);
    expect(faint).toEqual([]);
  });

  it.each(Object.entries(TONES))("the pill “%s” has contrast, also under the pointer", (_, classes) => {
    const { text, fill } = pill(theme, classes);
    expect(contrast(text, fill)).toBeGreaterThanOrEqual(AA);
    expect(contrast(brightened(text), brightened(fill))).toBeGreaterThanOrEqual(AA);
  });

  it("the main button has contrast, also under the pointer", () => {
    const [text, fill] = [token(theme, "on-accent"), token(theme, "accent-fill")];
    expect(contrast(text, fill)).toBeGreaterThanOrEqual(AA);
    expect(contrast(text, brightened(fill))).toBeGreaterThanOrEqual(AA);
  });
});
