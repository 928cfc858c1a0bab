/** Actions on conversations. They report errors as toasts and never throw. */
import type { ConversationId, ConversationRecord, ExportFormat, RunId } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { fileName } from "@/flow/document/flow-state";
import { HostError } from "@/ipc";
import { isOfThisFlow, titleOf } from "@/run/conversations/current-conversation";
import { oneLine, shorten } from "@/run/values/preview";
import type { Workspace } from "@/workspace/workspace";
import { TEXTS } from "./texts";

/**
 * Continues the conversation in the next runs. Asks first if it belongs to another flow, such as this one before it was
 * saved or renamed.
 */
export async function goOnIn(workspace: Workspace, conversation: ConversationRecord): Promise<void> {
  if (!isOfThisFlow(conversation, workspace.editor.state)) {
    const choice = await workspace.questions.ask({
      title: TEXTS.continueTitle(titleOf(conversation)),
      text: TEXTS.continueWarning(otherFlow(conversation)),
      actions: [{ id: "continue", label: TEXTS.continue, kind: "main" }],
    });
    if (choice !== "continue") return;
  }
  workspace.conversation.continueIn(conversation);
}

/** The flow of a conversation, for texts. */
function otherFlow({ flowName, flow }: ConversationRecord): string {
  const unsaved = flow.startsWith("name:");
  if (unsaved) return flowName ? `“${flowName}” (not saved)` : "an unnamed flow";
  return `“${flowName || fileName(flow)}”`;
}

export async function renameConversation(
  workspace: Workspace,
  conversation: ConversationId,
  title: string,
): Promise<void> {
  await reportErrors(workspace, async () => {
    const renamed = await workspace.host.call("conversations.rename", { conversation, title });
    if (workspace.conversation.isCurrent(renamed)) workspace.conversation.continueIn(renamed);
  });
}

/** Starts a new conversation from a message. Returns it, or undefined on failure. */
export async function forkConversation(
  workspace: Workspace,
  origin: ConversationRecord,
  message: number,
): Promise<ConversationRecord | undefined> {
  let fork: ConversationRecord | undefined;
  await reportErrors(workspace, async () => {
    const { conversation, asked } = await workspace.host.call("conversations.fork", {
      conversation: origin.id,
      message,
    });
    fork = conversation;
    if (isOfThisFlow(conversation, workspace.editor.state) || workspace.conversation.isCurrent(origin))
      workspace.conversation.continueIn(conversation);
    notify.done(
      asked === undefined ? TEXTS.forked(titleOf(conversation)) : TEXTS.forkedBefore(shorten(oneLine(asked), 60)),
    );
  });
  return fork;
}

/** Keeps a forked run: what it said is a conversation, in which the next runs go on; its memories are taken over. */
export async function keepFork(workspace: Workspace, run: RunId): Promise<void> {
  await reportErrors(workspace, async () => {
    const kept = await workspace.host.call("conversations.keep", { run });
    const { conversation, stored_memories: stored, erased_memories: erased } = kept;
    if (conversation) {
      workspace.conversation.continueIn(conversation);
      notify.done(TEXTS.kept(titleOf(conversation)));
    }
    if (stored + erased > 0) notify.done(TEXTS.keptMemories(stored, erased));
  });
}

/** Writes it into a file of the person's choice. */
export async function exportConversation(workspace: Workspace, conversation: ConversationRecord): Promise<void> {
  const format = await workspace.questions.ask({
    title: TEXTS.exportTitle(titleOf(conversation)),
    text: TEXTS.exportFormats,
    actions: [
      { id: "json", label: TEXTS.exportJson, kind: "plain" },
      { id: "markdown", label: TEXTS.exportMarkdown, kind: "main" },
    ],
  });
  if (format === undefined) return;
  await reportErrors(workspace, async () => {
    const wanted = { conversation: conversation.id, format: format as ExportFormat };
    const { name } = await workspace.host.call("conversations.export", wanted);
    const { path } = await workspace.host.call("dialog.save", { suggested: name });
    if (path === null) return;
    await workspace.host.call("conversations.export", { ...wanted, path });
    notify.done(TEXTS.exportedTo(path));
  });
}

/** Deletes it, after asking. */
export async function deleteConversation(workspace: Workspace, conversation: ConversationRecord): Promise<boolean> {
  const choice = await workspace.questions.ask({
    title: TEXTS.deleteTitle,
    text: TEXTS.deleteWarning(conversation.messages, titleOf(conversation)),
    actions: [{ id: "delete", label: TEXTS.deleteConversation, kind: "danger" }],
  });
  if (choice !== "delete") return false;
  return reportErrors(workspace, async () => {
    await workspace.host.call("conversations.delete", { conversation: conversation.id });
    if (workspace.conversation.isCurrent(conversation)) workspace.conversation.leave();
  });
}

/** Runs an action, reports its error and reloads the list. Returns whether it succeeded. */
async function reportErrors(workspace: Workspace, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (thrown) {
    notify.error(HostError.from(thrown));
    return false;
  } finally {
    void workspace.conversations.load();
  }
}
