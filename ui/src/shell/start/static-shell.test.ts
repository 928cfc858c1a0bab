/** Whether the shell that is painted before any script has the colors of the app that replaces it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const read = (path: string) => readFileSync(join(import.meta.dirname, path), "utf8");
const tokens = read("../../design/tokens.css");
const page = read("../../../index.html");

const colorIn = (css: string, name: string) => new RegExp(`${name}: (#[0-9a-f]{6});`).exec(css)?.[1];

it.each([
  ["dark", "dark", 0],
  ["light system", "light", 1],
  ["chosen light", "light", 2],
])("has the tokens of the %s theme", (_, theme, part) => {
  const shell = page.split(/prefers-color-scheme: light|:root\[data-theme="light"\]/)[part] ?? "";
  const block = tokens.split(`data-theme="${theme}"`)[1]?.split("}")[0] ?? "";
  for (const name of ["bg", "bg-1", "line", "fg"]) {
    const color = colorIn(block, `--${name}`);
    expect(color).toBeDefined();
    expect(colorIn(shell, `--shell-${name}`), name).toBe(color);
  }
});
