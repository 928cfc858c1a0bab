import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import type { CheckedFlow, Flow } from "@/bindings";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import { RunFilesSection } from "./RunFilesSection";

afterEach(cleanup);

const FLOW: Flow = { version: 1, name: "f", nodes: { chat: { type: "chat" } }, edges: {}, layout: {} };
const PORTS = { chat: { inputs: [{ name: "attach", kind: "data", type: "any" }], outputs: [] } };

async function show(flow: Flow) {
  const sent: { name: string; args: unknown }[] = [];
  const call = async (name: string, args: unknown) => {
    sent.push({ name, args });
    if (name === "attachment.add") return { hash: "h", mediaType: "image/png", name: "photo.png", bytes: 2 };
    if (name === "attachment.get") return { data: "aGk=" };
    if (name === "run.start") return { run: "r" };
    return name.endsWith(".list") ? [] : {};
  };
  const workspace = createTestWorkspace({ call: call as never });
  workspace.editor.store.setState({ flow, checked: { diagnostics: [], ports: PORTS } as unknown as CheckedFlow });
  renderInWorkspace(<RunFilesSection nodeId="chat" />, { workspace });
  return { workspace, sent };
}

it("gives the files of a node to the runs that start, until they are removed", async () => {
  const { workspace, sent } = await show(FLOW);
  await userEvent.upload(screen.getByTestId("attachment-input"), new File(["hi"], "photo.png", { type: "image/png" }));
  await screen.findByText("photo.png");
  await workspace.runs.start();
  const started = () => sent.filter(({ name }) => name === "run.start").at(-1)?.args as { overrides?: unknown };
  const file = { hash: "h", mediaType: "image/png", name: "photo.png", bytes: 2 };
  expect(started().overrides).toEqual({ chat: { attach: [file] } });

  await userEvent.click(screen.getByRole("button", { name: "Remove photo.png" }));
  expect(workspace.runs.files.overrides(workspace.editor.state.key, FLOW)).toBeUndefined();
});

it("is not there where an edge gives the files", async () => {
  const edge = { source: "chat", sourceOutput: "attachments", target: "chat", targetInput: "attach" };
  await show({ ...FLOW, edges: { e: edge } });
  expect(screen.queryByTestId("run-files")).toBeNull();
});
