/** `flow.import` of the mock host: one small workflow, whatever the file is. The engine has the readers. */
import type { ImportedFlow } from "@/bindings";
import type { Commands } from "./commands";

export const mockImports: Commands = {
  "flow.import": ({ path }: { path?: string }): ImportedFlow => ({
    flow: {
      version: 1,
      name: path?.replace(/^.*\/|\.[^.]*$/g, "") ?? "Imported",
      nodes: {
        chat: { type: "manualInput", title: "Chat" },
        mail: {
          type: "placeholder",
          title: "Send mail",
          config: {
            format: "n8n",
            kind: "n8n-nodes-base.gmail",
            reason: "Plait has no node for this service.",
            original: { parameters: { sendTo: "ada@example.com" } },
            inputs: [{ name: "in", kind: "data" }],
          },
        },
      },
      edges: { e1: { source: "chat", sourceOutput: "value", target: "mail", targetInput: "in" } },
      layout: { chat: { x: 0, y: 0 }, mail: { x: 300, y: 0 } },
    },
    report: {
      format: "n8n",
      name: "Mail",
      nodes: [
        { id: "Chat", name: "Chat", kind: "chatTrigger", outcome: "translated", nodes: ["chat"], lost: [] },
        {
          id: "Send mail",
          name: "Send mail",
          kind: "n8n-nodes-base.gmail",
          outcome: "placeholder",
          nodes: ["mail"],
          lost: ["Plait has no node for this service."],
        },
      ],
      edges: [{ source: "Chat", target: "Send mail", outcome: "translated" }],
      notes: [],
    },
  }),
};
