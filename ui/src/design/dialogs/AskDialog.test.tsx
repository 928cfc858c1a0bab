import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AskDialog } from "./AskDialog";
import { QuestionStore } from "./question-store";

let questions: QuestionStore;

beforeEach(() => {
  questions = new QuestionStore();
  render(<AskDialog questions={questions} />);
});
afterEach(cleanup);

const buttons = () => screen.getAllByRole("button").map((button) => button.textContent);
const focused = () => vi.waitFor(() => expect(document.activeElement).toHaveProperty("tagName", "BUTTON"));

test("the main action is on the right and has the focus", async () => {
  act(() => {
    void questions.ask({
      title: "Save changes?",
      text: "",
      actions: [
        { id: "save", label: "Save", kind: "main" },
        { id: "discard", label: "Don’t save", kind: "danger" },
      ],
    });
  });
  expect(buttons()).toEqual(["Cancel", "Don’t save", "Save"]);
  await focused();
  expect(document.activeElement?.textContent).toBe("Save");
});

test("Cancel has the focus where the only action is destructive", async () => {
  act(() => {
    void questions.ask({ title: "Delete?", text: "", actions: [{ id: "delete", label: "Delete", kind: "danger" }] });
  });
  await focused();
  expect(document.activeElement?.textContent).toBe("Cancel");
});
