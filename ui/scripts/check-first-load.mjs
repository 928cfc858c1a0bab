/**
 * Checks that what the window loads before it shows anything has none of the large libraries that only some parts of it
 * need: those parts are loaded with `import()` when they are first used. Follows the static imports from the entry point.
 * Run by `npm run layers`, which is part of `cargo xtask test`.
 *
 *   node scripts/check-first-load.mjs   fails with one line per violation
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const ui = resolve(import.meta.dirname, "..");
const src = join(ui, "src");
const ENTRY = join(src, "main.tsx");

/** Packages, by the beginning of their names, and files that are loaded when they are first used. */
const LAZY_PACKAGES = ["@codemirror/", "@lezer/", "elkjs", "react-markdown", "remark-gfm"];
const LAZY_FILES = [
  "src/canvas/image/flow-svg.ts",
  "src/design/markdown/MarkdownText.tsx",
  "src/forms/CodeMirror.tsx",
  "src/panels/guide/GuidePage.tsx",
  "src/panels/settings/SettingsPage.tsx",
];

/** Static imports and re-exports; types are gone from the build. */
const STATIC_IMPORT = /(?:^|[\n;])\s*(?:import|export)\s(?!type\s)(?:[^"';]*?\sfrom\s)?"([^"]+)"/g;

/** The file an import specifier names; nothing for packages. */
function resolveImport(from, specifier) {
  const base = specifier.startsWith("@/")
    ? join(src, specifier.slice(2))
    : specifier.startsWith(".")
      ? join(dirname(from), specifier)
      : undefined;
  if (base === undefined) return undefined;
  const candidates = ["", ".ts", ".tsx", "/index.ts", "/index.tsx"].map((ending) => base + ending);
  return candidates.find((path) => existsSync(path) && statSync(path).isFile());
}

const nameOf = (file) => relative(ui, file).replaceAll("\\", "/");
const violations = [];
const visited = new Set();

/** `path` leads from the entry point to the file. */
function visit(file, path) {
  if (visited.has(file)) return;
  visited.add(file);
  const here = [...path, nameOf(file)];
  const text = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  for (const [, specifier] of text.matchAll(STATIC_IMPORT)) {
    const imported = resolveImport(file, specifier);
    const isLazy = imported
      ? LAZY_FILES.includes(nameOf(imported))
      : LAZY_PACKAGES.some((name) => specifier.startsWith(name));
    if (isLazy) violations.push(`${specifier} is loaded at start, use import(): ${here.join(" -> ")}`);
    else if (imported && /\.tsx?$/.test(imported)) visit(imported, here);
  }
}

for (const file of LAZY_FILES) {
  if (!existsSync(join(ui, file))) violations.push(`${file} in LAZY_FILES does not exist`);
}
visit(ENTRY, []);
for (const violation of violations) process.stderr.write(`${violation}\n`);
process.exitCode = violations.length > 0 ? 1 : 0;
