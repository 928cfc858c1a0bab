/**
 * The two ways in which Vitest runs test files. Most files share the page and the imported modules of their worker: setting
 * both up for each file takes five times as long as the tests.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const TEST_FILE = /\.test\.tsx?$/;
/** A module that one file replaces or loads again would be the one that later files get. */
const REPLACES_MODULES = /\bvi\.(?:mock|doMock|resetModules)\(/;
/** Files that check everything the window shows, so that nothing of an earlier file may be there. */
const NEEDS_NEW_PAGE = ["src/design/dialogs/notify.test.tsx"];

function isolatedFiles(): string[] {
  const files = readdirSync(join(import.meta.dirname, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => TEST_FILE.test(file))
    .map((file) => `src/${file.replaceAll("\\", "/")}`);
  return files.filter(
    (file) =>
      NEEDS_NEW_PAGE.includes(file) || REPLACES_MODULES.test(readFileSync(join(import.meta.dirname, file), "utf8")),
  );
}

export function testProjects() {
  const isolated = isolatedFiles();
  return [
    {
      extends: true as const,
      test: { name: "shared", isolate: false, include: ["src/**/*.test.{ts,tsx}"], exclude: isolated },
    },
    { extends: true as const, test: { name: "isolated", include: isolated } },
  ];
}
