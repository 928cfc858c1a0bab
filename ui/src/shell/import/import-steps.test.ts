import { expect, it } from "vitest";
import type { Flow, ImportReport } from "@/bindings";
import { importSteps, nodeOfStep } from "./import-steps";

const REPORT: ImportReport = {
  format: "n8n",
  name: "Mail",
  nodes: [
    { id: "1", name: "Start", kind: "start", outcome: "same", nodes: ["start"], lost: [] },
    { id: "2", name: "Ask", kind: "agent", outcome: "differs", nodes: ["ask-context", "ask"], lost: ["One.", "Two."] },
    { id: "3", name: "Send", kind: "mail", outcome: "placeholder", nodes: ["send"], lost: ["No mail."] },
    { id: "4", name: "", kind: "x", outcome: "lost", nodes: [], lost: ["Gone."] },
  ],
  edges: [
    { source: "1", target: "2" },
    { source: "2", target: "4", lost: "Nothing reads it." },
  ],
  notes: [],
};

it("shows the placeholder, or the node with the name in the file, rather than what prepares its values", () => {
  const flow = {
    nodes: {
      "ask-item": { type: "json", title: "Ask: item" },
      "ask-value": { type: "placeholder", title: "Ask: value" },
      ask: { type: "chat", title: "Ask" },
      "send-item": { type: "json", title: "Send: item" },
      send: { type: "placeholder", title: "Send" },
    },
  } as unknown as Flow;
  const shown = (name: string, outcome: "differs" | "placeholder", nodes: string[]) =>
    nodeOfStep({ name, outcome, nodes }, flow);
  expect(shown("Send", "placeholder", ["send-item", "send"])).toBe("send");
  expect(shown("Ask", "placeholder", ["ask-item", "ask-value", "ask"])).toBe("ask-value");
  expect(shown("Ask", "differs", ["ask-item", "ask"])).toBe("ask");
  expect(shown("Other", "differs", ["gone", "ask-item"])).toBe("ask-item");
});

it("leads through all that is not the same, in the order of the file", () => {
  const steps = importSteps(REPORT);
  expect(steps.map(({ name, outcome, text }) => [name, outcome, text])).toEqual([
    ["Ask", "differs", "One. Two."],
    ["Send", "placeholder", "No mail."],
    ["4", "lost", "Gone."],
    ["Ask → 4", "edge", "Nothing reads it."],
  ]);
  const flow = { nodes: { ask: { type: "chat" } } } as unknown as Flow;
  expect(steps.map((step) => nodeOfStep(step, flow))).toEqual(["ask", undefined, undefined, "ask"]);
});
