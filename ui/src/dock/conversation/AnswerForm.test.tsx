import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { AnswerForm } from "./AnswerForm";

afterEach(cleanup);

const properties = { approved: { type: "boolean" }, comment: { type: "string" } };
const APPROVAL = { type: "object", properties, required: ["approved"] };

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

const question = (content: unknown) => ({
  type: "object",
  properties: { accept: { type: "boolean" }, content },
  required: ["accept"],
});

describe("a question of a tool", () => {
  const content = {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", title: "Name" },
      age: { type: "integer", title: "Age" },
      agree: { type: "boolean", title: "Agree" },
      pet: { type: "string", title: "Pet", enum: ["cat", "dog"], default: "dog" },
      fish: { type: "array", title: "Fish", items: { enum: ["Tuna", "Cod"] }, default: ["Cod"] },
    },
  };

  it("sends what was entered, and only once what is required is there", async () => {
    const sent = show(createTestWorkspace(), question(content), "question", true);
    const accept = screen.getByRole("button", { name: "Accept" }) as HTMLButtonElement;
    expect(accept.disabled).toBe(true);
    await userEvent.type(screen.getByLabelText("Name"), "Ada");
    await userEvent.type(screen.getByLabelText(/Age/), "3x");
    expect(accept.disabled).toBe(true);
    await userEvent.type(screen.getByLabelText(/Age/), "{backspace}6");
    await userEvent.click(screen.getByLabelText("Agree"));
    await userEvent.click(screen.getByLabelText("Tuna"));
    await userEvent.click(accept);
    const expected = { name: "Ada", age: 36, agree: true, pet: "dog", fish: ["Cod", "Tuna"] };
    expect(sent).toEqual([{ accept: true, content: expected }]);
  });

  it("leaves out what is optional and empty", async () => {
    const optional = { type: "object", properties: { age: { type: "number" }, pet: { enum: ["cat"] } } };
    const sent = show(createTestWorkspace(), question(optional), "optional", true);
    await userEvent.click(screen.getByRole("button", { name: "Accept" }));
    expect(sent).toEqual([{ accept: true, content: {} }]);
  });

  it("can be declined", async () => {
    const sent = show(createTestWorkspace(), question(content), "decline", true);
    await userEvent.click(screen.getByRole("button", { name: "Decline" }));
    expect(sent).toEqual([{ accept: false }]);
  });

  it("takes JSON where no form fits, and can be declined too", async () => {
    const sent = show(createTestWorkspace(), question({ type: "array" }), "json-question", true);
    await userEvent.click(screen.getByTestId("pause-send"));
    await userEvent.click(screen.getByRole("button", { name: "Decline" }));
    expect(sent).toEqual([{ accept: true, content: [] }, { accept: false }]);
  });
});

it("declines a request for a reply unless it is accepted", async () => {
  const schema = { type: "object", properties: { accept: { type: "boolean" } }, required: ["accept"] };
  const sent = show(createTestWorkspace(), schema, "acceptance", true);
  // The keyboard is at the safe answer.
  await userEvent.click(screen.getByTestId("pause-answer"));
  await userEvent.click(screen.getByRole("button", { name: "Accept" }));
  expect(sent).toEqual([{ accept: false }, { accept: true }]);
});

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
