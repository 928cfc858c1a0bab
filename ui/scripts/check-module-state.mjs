/**
 * Checks that no file in `src` holds mutable state of its own: `createWorkspace()` owns all state and hands it down, so that
 * two windows, or two tests, never share any. Run by `npm run layers`, which is part of `cargo xtask test`.
 *
 * Refused at the top level of a file: `let` and `var`, a store, and a Map, Set or array that can be changed. Allowed are
 * constants with a read-only type, and a `WeakMap` from an immutable object to what was derived from it.
 *
 *   node scripts/check-module-state.mjs [FOLDER]   fails with one line per violation
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

const ui = resolve(import.meta.dirname, "..");
const root = resolve(process.argv[2] ?? join(ui, "src"));

const RULES = [
  { pattern: /^(?:export )?(?:let|var)\s/, problem: "a variable at module level" },
  {
    pattern: /^(?:export )?const\s[^=]*=\s*(?:create|createStore)(?:<|\()/,
    problem: "a store at module level",
  },
  {
    pattern: /^(?:export )?const\s+\w+\s*=\s*new (?:Map|Set|[A-Z]\w*(?:Store|Registry|Control|Editor|List))\b/,
    problem: "an object at module level that can be changed; a constant needs a Readonly type",
  },
  {
    pattern: /^(?:export )?const\s+\w+(?::(?!\s*readonly\s)[^=]*)?\s*=\s*\[\];/,
    problem: "an empty array at module level",
  },
];

function modulesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "bindings" ? [] : modulesBelow(path);
    return /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

const violations = modulesBelow(root).flatMap((file) =>
  // Biome indents: what begins in the first column is at the top level.
  readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, index) =>
      RULES.filter(({ pattern }) => pattern.test(line)).map(
        ({ problem }) => `${relative(ui, file)}:${index + 1}: ${problem}: ${line.trim()}`,
      ),
    ),
);
for (const violation of violations) process.stderr.write(`${violation}\n`);
process.exitCode = violations.length > 0 ? 1 : 0;
