/**
 * Checks the architecture of `src`: a folder imports only from the layers below it, no two files import each other in a
 * circle, nor do the folders inside one layer, and nothing in `src` knows what is outside of it. Run by `npm run layers`, which is
 * part of `cargo xtask test`.
 *
 *   node scripts/check-layers.mjs           fails with one line per violation
 *   node scripts/check-layers.mjs --pairs   also lists which folder imports which
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

/** From the bottom up. A folder may import from every layer before its own; folders of one layer don't know each other. */
const LAYERS = [
  ["bindings"],
  ["design"],
  ["ipc"],
  ["flow"],
  ["run"],
  ["workspace"],
  ["forms"],
  ["canvas", "inspector", "dock", "panels"],
  ["shell"],
  ["main.tsx"],
];

const ui = resolve(import.meta.dirname, "..");
const src = join(ui, "src");
const layerOf = new Map(LAYERS.flatMap((folders, layer) => folders.map((folder) => [folder, layer])));
const IMPORT = /(?:^|[\s;])(?:import|export)\s(?:[^"';]*?\sfrom\s)?"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/g;

function modulesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return modulesBelow(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

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

function importsOf(file) {
  const text = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  return [...text.matchAll(IMPORT)].flatMap(
    ([, statement, dynamic]) => resolveImport(file, statement ?? dynamic) ?? [],
  );
}

const folderOf = (file) => relative(src, file).split(sep)[0];
const nameOf = (file) => relative(ui, file).split(sep).join("/");

/** One line for each import that goes to the same layer or up. */
function layerViolations(graph) {
  const found = [];
  for (const [file, imports] of graph) {
    const from = folderOf(file);
    const layer = layerOf.get(from);
    if (layer === undefined) found.push(`${nameOf(file)}: the folder ${from} is missing in LAYERS`);
    for (const imported of imports) {
      const to = folderOf(imported);
      if (to === "..") found.push(`${nameOf(file)} imports ${nameOf(imported)}, which is outside of src`);
      else if (to !== from && !(layerOf.get(to) < layer)) {
        found.push(`${nameOf(file)} imports ${nameOf(imported)}: ${from} is not above ${to}`);
      }
    }
  }
  return found;
}

/**
 * Which folder of a layer imports from which other folder of it. Files directly in the layer's folder join the folders or are
 * used by all of them, and tests may look at everything, so neither counts.
 */
function innerFolders(graph) {
  const innerOf = (file) => (relative(src, dirname(file)).includes(sep) ? dirname(file) : undefined);
  const folders = new Map();
  for (const [file, imports] of graph) {
    const from = innerOf(file);
    if (from === undefined || /\.test\.tsx?$/.test(file)) continue;
    const others = imports.filter((imported) => {
      const to = innerOf(imported);
      return to !== undefined && to !== from && folderOf(imported) === folderOf(file);
    });
    folders.set(from, new Set([...(folders.get(from) ?? []), ...others.map(innerOf)]));
  }
  return folders;
}

/** One line for each circle of files or folders, found by depth-first search. */
function circles(graph) {
  const found = [];
  const done = new Set();
  const visit = (path, above) => {
    const start = above.indexOf(path);
    if (start >= 0) {
      found.push(`circular imports: ${[...above.slice(start), path].map(nameOf).join(" -> ")}`);
      return;
    }
    if (done.has(path)) return;
    for (const imported of graph.get(path) ?? []) visit(imported, [...above, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}

const graph = new Map(
  modulesBelow(src)
    .filter((file) => folderOf(file) !== "bindings")
    .map((file) => [file, importsOf(file)]),
);
const violations = [...layerViolations(graph), ...circles(graph), ...circles(innerFolders(graph))];

if (process.argv.includes("--pairs")) {
  const pairs = new Set();
  for (const [file, imports] of graph) {
    if (/\.test\.tsx?$/.test(file)) continue;
    for (const imported of imports) {
      if (folderOf(imported) !== folderOf(file)) pairs.add(`${folderOf(file)} -> ${folderOf(imported)}`);
    }
  }
  process.stdout.write(`${[...pairs].sort().join("\n")}\n${pairs.size} pairs of folders\n`);
}
for (const violation of violations) process.stderr.write(`${violation}\n`);
process.exitCode = violations.length > 0 ? 1 : 0;
