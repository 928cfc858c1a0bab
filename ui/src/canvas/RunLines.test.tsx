import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Entry } from "@/bindings";
import { EMPTY_FLOW } from "@/flow/flow-state";
import { RunSession } from "@/run/live/session";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { RunLines } from "./RunLines";

afterEach(cleanup);

test("an error on a card renders code as code", () => {
  const workspace = createTestWorkspace();
  const events = { changed: () => undefined, broke: () => undefined };
  const session = new RunSession(workspace.host, "r", EMPTY_FLOW, events);
  const error = { code: "provider.rejected", message: "The field `max_tokens` is too large.", retryable: false };
  session.fold.apply([
    { seq: 0, at: 0, type: "node.ready", node: "n", epoch: [] },
    { seq: 1, at: 0, type: "node.started", node: "n", epoch: [], attempt: 1, inputs: {} },
    { seq: 2, at: 0, type: "node.failed", node: "n", epoch: [], error, handled: false },
  ] as unknown as Entry[]);
  workspace.activeRun.show(session);
  renderInWorkspace(<RunLines node="n" />, { workspace });
  expect(screen.getByText("max_tokens").tagName).toBe("CODE");
  expect(document.body.textContent).not.toContain("`");
  expect(screen.getByTitle("The field max_tokens is too large.")).toBeDefined();
});
