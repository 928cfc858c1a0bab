import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Entry } from "@/bindings";
import { showRun } from "@/run/live/test-run";
import * as lens from "@/run/prompt-parts";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { Prompt } from "./Prompt";

let workspace: Workspace;

beforeEach(() => {
  workspace = createTestWorkspace();
});
afterEach(cleanup);

const HERE = { node: "chat", epoch: [] };
const PARTS = [{ kind: "message", role: "user", text: "Where is it?", tokens: 3 }];
const PROMPT = { provider: "p", model: "m", tokens: 3, window: 100, reserve: 10, toolTokens: 0 };

it("shows the reasoning of a reply", () => {
  showRun(workspace.activeRun, [
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, parts: [] } },
    { type: "model.replied", ...HERE, step: 0, reply: { text: "Yes.", reasoning: "It must be so." } },
  ]);
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  expect(screen.getByText("It must be so.")).toBeDefined();
});

it("builds a prompt once, not on each later event", async () => {
  const session = showRun(workspace.activeRun, [
    { type: "prompt.rendered", ...HERE, step: 0, prompt: { ...PROMPT, parts: PARTS } },
  ]);
  const made = vi.spyOn(lens, "linesOf");
  renderInWorkspace(<Prompt nodeId="chat" />, { workspace });
  expect(screen.getByText("Where is it?")).toBeDefined();
  for (let seq = 1; seq < 4; seq++) {
    await act(async () => {
      const changed = session.fold.apply([{ seq, at: 0, type: "node.ready", node: `n${seq}`, epoch: [] } as Entry]);
      session.log.append(changed.entries);
      workspace.activeRun.publish(session, changed);
      await new Promise((resolve) => setTimeout(resolve, 80));
    });
  }
  expect(made).toHaveBeenCalledTimes(1);
});
