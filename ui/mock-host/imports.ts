/** `flow.import` of the mock host: one small workflow for whatever looks like one of n8n. The engine has the readers. */
import type { ImportedFlow } from "@/bindings";
import { HostError } from "@/ipc/host";
import type { Commands } from "./commands";
import type { Files } from "./flows";

export function mockImports(files: Pick<Files, "read">): Commands {
  return {
    "flow.import": ({ path, text, name }: { path?: string; text?: string; name?: string }): ImportedFlow => {
      const content = text ?? files.read(path ?? "");
      if (content !== undefined && !content.includes('"connections"')) {
        const message = "This is none of the formats that can be imported: Dify, Flowise, Langflow, n8n, Rivet.";
        throw new HostError({ code: "import.unknown_format", message });
      }
      return mail(name ?? path?.replace(/^.*\/|\.[^.]*$/g, "") ?? "Imported");
    },
  };
}

function mail(name: string): ImportedFlow {
  return {
    flow: {
      version: 1,
      name,
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
  };
}
