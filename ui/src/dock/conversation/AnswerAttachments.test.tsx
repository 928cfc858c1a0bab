import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { HostError } from "@/ipc";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { AnswerForm } from "./AnswerForm";

afterEach(cleanup);

const ASKS = { type: "string", "x-attachments": true };

/** Renders the form on a host that accepts files except `tool`. Returns the host and the answers. */
function show(schema: Record<string, unknown>) {
  const added: { name: string; data: string }[] = [];
  const sent: unknown[] = [];
  const call = async (command: string, args: unknown) => {
    if (command === "attachment.get") return { data: "aGk=" };
    const file = args as { name: string; data: string };
    if (file.name === "tool") throw new HostError({ code: "attachment.unknown_type", message: "It is no image." });
    added.push(file);
    return { hash: file.name, mediaType: "image/png", name: file.name, bytes: 2 };
  };
  const onAnswer = async (value: unknown, attachments: unknown) => {
    sent.push([value, attachments]);
    return true;
  };
  renderInWorkspace(<AnswerForm schema={schema} draftKey="a" label="Answer" busy={false} onAnswer={onAnswer} />, {
    workspace: createTestWorkspace({ call: call as never }),
  });
  return { added, sent };
}

const file = (name: string) => new File(["hi"], name, { type: "image/png" });
const names = (attachments: unknown) => (attachments as { name: string }[]).map((one) => one.name);

it("sends chosen, dropped and pasted files with the answer, without those that were removed", async () => {
  const { added, sent } = show(ASKS);
  await userEvent.upload(screen.getByTestId("attachment-input"), file("chosen.png"));
  fireEvent.drop(screen.getByTestId("attachment-drop"), {
    dataTransfer: { files: [file("dropped.png")], types: ["Files"] },
  });
  fireEvent.paste(screen.getByTestId("pause-answer"), { clipboardData: { files: [file("pasted.png")] } });
  await waitFor(() => expect(added.map((one) => one.name)).toEqual(["chosen.png", "dropped.png", "pasted.png"]));
  expect(added[0]?.data).toBe("aGk=");
  await userEvent.click(await screen.findByRole("button", { name: "Remove dropped.png" }));
  await userEvent.type(screen.getByTestId("pause-answer"), "Look{Enter}");
  expect(sent).toHaveLength(1);
  const [value, attachments] = sent[0] as [unknown, unknown];
  expect([value, names(attachments)]).toEqual(["Look", ["chosen.png", "pasted.png"]]);
});

it("shows an image by its bytes", async () => {
  show(ASKS);
  await userEvent.upload(screen.getByTestId("attachment-input"), file("photo.png"));
  const image = (await screen.findByAltText("photo.png")) as HTMLImageElement;
  expect(image.src).toBe("data:image/png;base64,aGk=");
});

it("says why a file was refused, and keeps the others", async () => {
  const { sent } = show(ASKS);
  await userEvent.upload(screen.getByTestId("attachment-input"), [file("a.png"), file("tool")]);
  expect((await screen.findByRole("alert")).textContent).toContain("It is no image.");
  await userEvent.type(screen.getByTestId("pause-answer"), "Look{Enter}");
  expect(names((sent[0] as unknown[])[1])).toEqual(["a.png"]);
});

it("is reached by keyboard", async () => {
  show(ASKS);
  screen.getByTestId("pause-answer").focus();
  await userEvent.tab();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Attach files" }));
});

it("is absent where the question takes no files", () => {
  show({ type: "string" });
  expect(screen.queryByRole("button", { name: "Attach files" })).toBeNull();
  expect(screen.queryByTestId("attachment-drop")).toBeNull();
});
