import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { ConfigSource, Node, NodeDescriptor, ResolvedConfig } from "@/bindings";
import NODE_TYPES from "@/bindings/nodes.json";
import { displayedFlow, documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { useFlow } from "@/workspace/context";
import { createTestWorkspace, renderInWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { ConfigTab } from "./ConfigTab";

afterEach(cleanup);

const TYPE = (NODE_TYPES as unknown as NodeDescriptor[]).find(({ type }) => type === "loop");

function resolved(key: string, value: unknown, source: ConfigSource): ResolvedConfig {
  return { key, help: "", schema: {}, value, source, pointer: `/config/${key.replace(".", "/")}`, layers: [] };
}

function Tab() {
  const node = useFlow((state) => displayedFlow(state).nodes.talk);
  return node ? <ConfigTab nodeId="talk" node={node} type={TYPE} readOnly={false} /> : null;
}

function draw(config: Node["config"], replies: ResolvedConfig[]): Workspace {
  const call = vi.fn(async (name: string) => (name === "config.explain" ? replies : {}));
  const workspace = createTestWorkspace({ call: call as never });
  workspace.editor.open(documentState({ ...EMPTY_FLOW, nodes: { talk: { type: "loop", config } } }));
  renderInWorkspace(<Tab />, { workspace });
  return workspace;
}

const SETTINGS: ConfigSource = { layer: "settings" };

it("an empty field shows the value that holds, and leads to where it is set", async () => {
  const workspace = draw({ conversation: true }, [
    resolved("max_iterations", 100, { layer: "builtIn" }),
    resolved("history_management.max_tokens", 2048, SETTINGS),
  ]);
  const hints = await screen.findAllByTestId("inherited");
  expect(hints.map((hint) => hint.textContent)).toEqual(["100 · built in", "2048 · from settings"]);
  expect(screen.getByLabelText(/Max tokens/)).toHaveProperty("placeholder", "2048");
  await userEvent.setup().click(screen.getByRole("button", { name: "from settings" }));
  expect(workspace.layout.store.getState().page).toBe("settings");
});

it("a field that is set shows no hint", async () => {
  draw({ max_iterations: 5, conversation: true }, [
    resolved("max_iterations", 5, { layer: "loop", node: "talk" }),
    resolved("history_management.max_tokens", 300, { layer: "flow" }),
  ]);
  const hints = await screen.findAllByTestId("inherited");
  expect(hints.map((hint) => hint.textContent)).toEqual(["300 · from flow"]);
});

it("choosing the built-in default sets it where something else is inherited", async () => {
  const workspace = draw({ conversation: true }, [resolved("history_management.strategy", "summarize", SETTINGS)]);
  const choice = screen.getByLabelText(/Strategy/);
  const shown = () => (choice as HTMLSelectElement).selectedOptions[0]?.textContent;
  await waitFor(() => expect(shown()).toBe("Summarize"));
  await userEvent.setup().selectOptions(choice, "Truncate tokens");
  const config = () => displayedFlow(workspace.editor.state).nodes.talk?.config;
  expect(config()).toEqual({ conversation: true, history_management: { strategy: "truncate_tokens" } });
  await userEvent.setup().selectOptions(choice, "Summarize");
  expect(config()).toEqual({ conversation: true, history_management: {} });
});
