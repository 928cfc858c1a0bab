import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { AnswerForm } from "./AnswerForm";

afterEach(cleanup);

const APPROVAL = { type: "object", properties: { approved: { type: "boolean" }, comment: { type: "string" } } };

/** Renders the form as the dock does when it is reopened, and returns the sent answers. */
function show(workspace: Workspace, schema: Record<string, unknown>, draftKey: string, taken: boolean) {
  cleanup();
  const sent: unknown[] = [];
  const onAnswer = async (value: unknown) => {
    sent.push(value);
    return taken;
  };
  renderInWorkspace(
    <AnswerForm schema={schema} draftKey={draftKey} label="Answer" busy={false} onAnswer={onAnswer} />,
    { workspace },
  );
  return sent;
}

describe.each([
  ["text", { type: "string" }, "pause-answer", "pause-send", "7", "7"],
  ["number", { type: "number" }, "pause-answer", "pause-send", "7", 7],
  ["decision", APPROVAL, "pause-comment", "Approve", "7", { approved: true, comment: "7" }],
  ["JSON", { type: "array" }, "pause-answer", "pause-send", "[[7]", [7]],
])("a %s", (kind, schema, field, send, typed, value) => {
  const typedIn = () => (screen.getByTestId(field) as HTMLInputElement).value;
  const sendIt = async () =>
    userEvent.click(send === "Approve" ? screen.getByRole("button", { name: send }) : screen.getByTestId(send));

  it("keeps the draft when the answer is refused and drops it when accepted", async () => {
    const workspace = createTestWorkspace();
    let sent = show(workspace, schema, kind, false);
    await userEvent.clear(screen.getByTestId(field));
    await userEvent.type(screen.getByTestId(field), typed);
    const text = typedIn();
    await sendIt();
    expect(sent).toEqual([value]);
    sent = show(workspace, schema, kind, true);
    expect(typedIn()).toBe(text);
    await sendIt();
    expect(sent).toEqual([value]);
    show(workspace, schema, kind, true);
    expect(typedIn()).not.toBe(text);
  });
});
