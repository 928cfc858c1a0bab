import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { ToolChecklist } from "./ToolChecklist";
import { ToolControl } from "./ToolControl";

afterEach(cleanup);

const field = { id: "f", label: "Tool", path: ["tool"], findings: [], onChange: () => undefined, readOnly: false };
const fields = (
  <>
    <ToolControl {...field} spec={{ kind: "text", widget: "tool", optional: false }} value="calculator" />
    <ToolChecklist
      {...field}
      spec={{ kind: "list", item: { kind: "json", optional: false }, optional: false }}
      value={["clock"]}
    />
  </>
);

it("calls no tool unknown before the list of tools is there", async () => {
  let give: (tools: unknown) => void = () => undefined;
  const workspace = createTestWorkspace({ call: () => new Promise<never>((resolve) => (give = resolve as never)) });
  renderInWorkspace(fields, { workspace });
  expect(screen.getByText("calculator")).toBeTruthy();
  expect(document.body.textContent).not.toMatch(/unknown|not one of/i);
  give([{ name: "read_file", description: "Reads.", effect: "read" }]);
  expect(await screen.findByText("Unknown tool: calculator")).toBeTruthy();
  expect(screen.getByText(/Not one of/)).toBeTruthy();
});
