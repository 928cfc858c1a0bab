import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConversationRecord } from "@/bindings";
import { documentState, EMPTY_FLOW, flowStore } from "@/flow/store";
import { setHost } from "@/ipc";
import { continueIn, currentStore, titleOf } from "./current";
import { conversationsStore, loadConversations } from "./list";

const conversation = (change: Partial<ConversationRecord>) =>
  ({ id: "c", flow: "name:", flowName: "", title: "", ...change }) as ConversationRecord;

let kept: ConversationRecord[];

beforeEach(() => {
  kept = [];
  setHost({ kind: "in-page", call: async () => structuredClone(kept) as never, watch: () => () => undefined });
  flowStore.setState(documentState(EMPTY_FLOW), true);
});
afterEach(() => {
  currentStore.setState({ conversation: undefined });
  conversationsStore.setState({ list: [], words: "", scope: "flow" });
});

describe("the conversation that goes on", () => {
  it("is called what its first turn called it", async () => {
    continueIn(conversation({}));
    kept = [conversation({ title: "Where is my parcel?" })];
    await loadConversations();
    const { conversation: current } = currentStore.getState();
    expect(current && titleOf(current)).toBe("Where is my parcel?");
  });

  it("stays where a search does not find it", async () => {
    continueIn(conversation({ title: "Parcels" }));
    await loadConversations();
    expect(currentStore.getState().conversation?.id).toBe("c");
  });
});
