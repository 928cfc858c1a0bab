import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Flow, RecentFlow, TemplateSummary } from "@/bindings";
import { documentState } from "@/flow/document/flow-state";
import { COMMANDS } from "@/shell/commands";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { StartPage } from "./StartPage";
import { TEXTS } from "./texts";

afterEach(cleanup);

const FLOW: Flow = { version: 1, name: "Triage", nodes: { ask: { type: "userInput" } }, edges: {}, layout: {} };

/** The start page on a host that keeps templates and recent flows. Writes wait until `write` is called. */
function showStartPage() {
  let recent: RecentFlow[] = [];
  const templates: TemplateSummary[] = [];
  let write = () => {};
  const written = new Promise<void>((resolve) => {
    write = resolve;
  });
  const answers = {
    "flow.recent": async () => [...recent],
    "flow.examples": async () => [],
    "flow.read": async () => FLOW,
    "flow.forget": async ({ path }: { path: string }) => {
      recent = recent.filter((flow) => flow.path !== path);
      return null;
    },
    "flow.save": async ({ path }: { path: string }) => {
      await written;
      recent.push({ path, name: FLOW.name, openedAt: 0, missing: false });
      return { path, hash: "2", savedAt: 0 };
    },
    "templates.list": async () => [...templates],
    "templates.open": async () => FLOW,
    "templates.save": async ({ name }: { name: string }) => {
      await written;
      templates.push({ id: name, name, description: "", savedAt: 0 });
      return { id: name };
    },
    "templates.rename": async ({ id, name }: { id: string; name: string }) => {
      for (const template of templates) if (template.id === id) template.name = name;
      return null;
    },
  };
  const call = (name: string, args: object) => answers[name as keyof typeof answers](args as never);
  const workspace = createTestWorkspace({ call: call as never });
  workspace.editor.open(documentState(FLOW, { path: "/triage.flow.json", hash: "1" }));
  return {
    workspace,
    write,
    render: () => {
      workspace.files.showStart();
      renderInWorkspace(<StartPage />, { workspace, commands: COMMANDS });
    },
  };
}

it("lists a template that is saved while the page is open, and its new name", async () => {
  const { workspace, write, render } = showStartPage();
  const saved = workspace.files.saveTemplate();
  render();
  write();
  await saved;
  await screen.findByTestId("template-Triage");
  fireEvent.click(screen.getByRole("button", { name: TEXTS.renameTemplate("Triage") }));
  fireEvent.change(screen.getByLabelText(TEXTS.templateName), { target: { value: "Parcels" } });
  fireEvent.keyDown(screen.getByLabelText(TEXTS.templateName), { key: "Enter" });
  await screen.findByTestId("template-Parcels");
});

it("lists a flow that another tab saves while the page is open, until it is removed", async () => {
  const { workspace, write, render } = showStartPage();
  const saved = workspace.files.save();
  render();
  write();
  await saved;
  const card = await screen.findByTestId("start-recent-/triage.flow.json");
  fireEvent.click(screen.getByRole("button", { name: TEXTS.forget("Triage") }));
  await waitFor(() => expect(card.isConnected).toBe(false));
});
