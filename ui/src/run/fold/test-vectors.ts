/** For tests: the vectors both folds are held to. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Entry, RunView } from "@/bindings";

export type Vector = { name: string; about: string; journal: Entry[]; view: RunView };

const FOLDER = join(import.meta.dirname, "../../../../tests/fixtures/folds");

export function readVectors(): Vector[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => ({ name: file.replace(/\.json$/, ""), ...JSON.parse(readFileSync(join(FOLDER, file), "utf8")) }));
}

export function journalOf(name: string): Entry[] {
  const found = readVectors().find((vector) => vector.name === name);
  if (!found) throw new Error(`There is no vector ${name}.`);
  return found.journal;
}
