import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ConversationRecord } from "@/bindings";
import { documentState, EMPTY_FLOW } from "@/flow/document/flow-state";
import { PAGE } from "@/run/conversations/conversation-list";
import { titleOf } from "@/run/conversations/current-conversation";
import { createTestWorkspace } from "@/workspace/test-workspace";
import type { Workspace } from "@/workspace/workspace";
import { goOnIn } from "./actions";

const conversation = (change: Partial<ConversationRecord>) =>
  ({ id: "c", flow: "name:", flowName: "", title: "", ...change }) as ConversationRecord;

let stored: ConversationRecord[];
let requestedFlows: unknown[];
let workspace: Workspace;
let stop: () => void;

beforeEach(() => {
  stored = [];
  requestedFlows = [];
  const call = async (_: string, { flow, limit }: { flow?: unknown; limit: number }) => {
    requestedFlows.push(flow);
    return structuredClone(stored.slice(0, limit));
  };
  workspace = createTestWorkspace({ call: call as never });
  stop = workspace.conversation.follow();
  workspace.editor.open(documentState(EMPTY_FLOW));
});
afterEach(() => stop());

const current = () => workspace.conversation.current?.id;

describe("the current conversation", () => {
  it("takes its title from its first turn", async () => {
    workspace.conversation.continueIn(conversation({}));
    stored = [conversation({ title: "Where is my parcel?" })];
    await workspace.conversations.load();
    const { current } = workspace.conversation;
    expect(current && titleOf(current)).toBe("Where is my parcel?");
  });

  it("stays when a search hides it", async () => {
    workspace.conversation.continueIn(conversation({ title: "Parcels" }));
    await workspace.conversations.load();
    expect(current()).toBe("c");
  });

  it("is set at once for this flow and after a confirmation for another flow", async () => {
    await goOnIn(workspace, conversation({ id: "mine" }));
    expect(current()).toBe("mine");
    const asking = goOnIn(workspace, conversation({ id: "theirs", flow: "name:Triage", flowName: "Triage" }));
    expect(workspace.questions.store.getState().question?.text).toContain("“Triage” (not saved)");
    expect(current()).toBe("mine");
    workspace.questions.store.getState().settle("continue");
    await asking;
    expect(current()).toBe("theirs");
  });

  it("stays unchanged when the confirmation is canceled", async () => {
    const asking = goOnIn(workspace, conversation({ id: "theirs", flow: "/other.flow.json" }));
    expect(workspace.questions.store.getState().question?.text).toContain("“other.flow.json”");
    workspace.questions.store.getState().settle();
    await asking;
    expect(current()).toBeUndefined();
  });
});

describe("the list of conversations", () => {
  it("loads older ones on request; a new search starts with the latest", async () => {
    stored = Array.from({ length: PAGE + 1 }, (_, index) => conversation({ id: `c${index}` }));
    await workspace.conversations.load();
    const known = () => workspace.conversations.store.getState();
    expect([known().list.length, known().cut]).toEqual([PAGE, true]);
    workspace.conversations.loadMore();
    await vi.waitFor(() => expect([known().list.length, known().cut]).toEqual([PAGE + 1, false]));
    workspace.conversations.setFilter({ words: "parcel" });
    await vi.waitFor(() => expect([known().list.length, known().cut]).toEqual([PAGE, true]));
  });

  it("belongs to the flow's current name while it has no file", async () => {
    await vi.waitFor(() => expect(requestedFlows).toHaveLength(1));
    workspace.editor.store.setState(({ flow }) => ({ flow: { ...flow, name: "Triage" } }));
    await vi.waitFor(() => expect(requestedFlows).toContainEqual({ path: undefined, name: "Triage" }));
  });

  it("is not reloaded when a saved flow is renamed", async () => {
    workspace.editor.open(documentState(EMPTY_FLOW, { path: "/a.flow.json" }));
    await vi.waitFor(() => expect(requestedFlows).toHaveLength(1));
    workspace.editor.store.setState(({ flow }) => ({ flow: { ...flow, name: "Triage" } }));
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(requestedFlows).toHaveLength(1);
  });
});
