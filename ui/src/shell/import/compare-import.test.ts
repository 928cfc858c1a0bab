import { expect, it, vi } from "vitest";
import type { Flow, ImportReport } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { documentState } from "@/flow/document/flow-state";
import { createTestWorkspace } from "@/workspace/test-workspace";
import { compareImport } from "./compare-import";

const FLOW: Flow = { version: 1, name: "Mail", nodes: { send: { type: "text" } }, edges: {}, layout: {} };
const REPORT: ImportReport = {
  format: "n8n",
  name: "Mail",
  nodes: [{ id: "1", name: "Send", kind: "mail", outcome: "same", nodes: ["send"], lost: [] }],
  edges: [],
  notes: [],
};

/** A session after that of the import; the person chooses these files. */
function laterSession(report: ImportReport, files: string[]) {
  const calls: [string, unknown][] = [];
  const workspace = createTestWorkspace({
    call: async (name, args) => {
      calls.push([name, args]);
      if (name === "dialog.open") return { path: files.shift() ?? null } as never;
      return (name === "flow.import" ? { flow: FLOW, report } : { nodes: [], departures: 0, run: "r" }) as never;
    },
  });
  workspace.editor.open(documentState(FLOW));
  vi.spyOn(workspace.questions, "ask").mockResolvedValue("choose");
  vi.spyOn(workspace.importComparisons, "ask").mockResolvedValue(undefined);
  return { workspace, calls };
}

it("takes the report of an earlier import from the file that the flow was imported from", async () => {
  const { workspace, calls } = laterSession(REPORT, ["/mail.json", "/execution.json"]);
  await compareImport(workspace);
  expect(calls).toContainEqual(["flow.import", { path: "/mail.json" }]);
  expect(calls).toContainEqual([
    "import.compare",
    expect.objectContaining({ report: REPORT, path: "/execution.json" }),
  ]);
  expect(workspace.editor.state.importReport).toEqual(REPORT);
});

it("compares with no execution of another flow", async () => {
  const info = vi.spyOn(notify, "info");
  const other = { ...REPORT, nodes: [] };
  const { workspace, calls } = laterSession(other, ["/other.json", "/execution.json"]);
  await compareImport(workspace);
  expect(calls.map(([name]) => name)).not.toContain("import.compare");
  expect(info).toHaveBeenCalled();
});
