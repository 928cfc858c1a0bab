import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { showRun } from "@/run/live/showing";
import { showSession } from "@/run/live/shown";
import { Prompt } from "./Prompt";

afterEach(() => {
  cleanup();
  showSession(undefined);
});

it("shows what the model reasoned before it answered", () => {
  const here = { node: "chat", epoch: [] };
  const prompt = { provider: "p", model: "m", parts: [], tokens: 1, window: 100, reserve: 10, toolTokens: 0 };
  showRun([
    { type: "prompt.rendered", ...here, step: 0, prompt },
    { type: "model.replied", ...here, step: 0, reply: { text: "Yes.", reasoning: "It must be so." } },
  ]);
  render(<Prompt nodeId="chat" />);
  expect(screen.getByText("It must be so.")).toBeDefined();
});
