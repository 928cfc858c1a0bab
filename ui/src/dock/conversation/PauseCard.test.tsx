import { readdirSync, readFileSync } from "node:fs";
import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { OpenPause } from "@/run/fold/types";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { PauseCard } from "./PauseCard";
import { TEXTS } from "./texts";

afterEach(cleanup);

const pause = (node: string): OpenPause => ({
  node,
  epoch: [],
  prompt: `${node}?`,
  schema: { type: "string" },
  askedAt: 0,
});
const cards = (
  <>
    <input aria-label="Elsewhere" />
    <PauseCard pause={pause("a")} />
    <PauseCard pause={pause("b")} />
  </>
);

it("gets the focus when its own question is asked for", () => {
  const workspace = createTestWorkspace();
  renderInWorkspace(cards, { workspace });
  screen.getByLabelText("Elsewhere").focus();
  act(() => workspace.layout.goToAnswer("/b/"));
  expect(document.activeElement?.getAttribute("aria-label")).toContain("b");
  expect(workspace.layout.store.getState().focusAnswer).toBeUndefined();
});

it("leaves the focus where it is when another question is asked for", () => {
  const workspace = createTestWorkspace();
  renderInWorkspace(cards, { workspace });
  screen.getByLabelText("Elsewhere").focus();
  act(() => workspace.layout.goToAnswer("/elsewhere/"));
  expect(document.activeElement?.getAttribute("aria-label")).toBe("Elsewhere");
});

it("ends a conversation by the words of the examples", () => {
  const folder = "../examples";
  const texts = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".flow.json"))
    .map((name) => readFileSync(`${folder}/${name}`, "utf8"));
  const naming = texts.filter((text) => /\bend\b[^.]*\b(conversation|pause|chat)\b/i.test(text));
  expect(naming.length).toBeGreaterThan(2);
  for (const text of naming) expect(text).toContain(`*${TEXTS.endConversation}*`);
  expect(texts.filter((text) => /\bend the pause\b/i.test(text))).toEqual([]);
});
