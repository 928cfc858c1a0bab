/** Actions on memories and users. They report errors as toasts and never throw. */
import type { ExportFormat } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { HostError } from "@/ipc";
import type { Workspace } from "@/workspace/workspace";
import { TEXTS } from "./texts";

/** Erases memories, after asking. Returns whether they are gone. */
export async function eraseMemories(workspace: Workspace, user: string, ids: readonly string[]): Promise<boolean> {
  const choice = await workspace.questions.ask({
    title: TEXTS.eraseTitle(ids.length),
    text: TEXTS.eraseWarning,
    actions: [{ id: "erase", label: TEXTS.eraseAction, kind: "danger" }],
  });
  if (choice !== "erase") return false;
  return reportErrors(() => workspace.host.call("memories.erase", { user, ids: [...ids] }));
}

/** Writes all memories of a user into a file of the person's choice. */
export async function exportMemories(workspace: Workspace, user: string): Promise<void> {
  const choice = await workspace.questions.ask({
    title: TEXTS.exportTitle,
    text: TEXTS.exportFormats,
    actions: [
      { id: "json", label: TEXTS.exportJson, kind: "plain" },
      { id: "markdown", label: TEXTS.exportMarkdown, kind: "main" },
    ],
  });
  if (choice === undefined) return;
  const format = choice as ExportFormat;
  await reportErrors(async () => {
    const { name } = await workspace.host.call("memories.export", { user, format });
    const { path } = await workspace.host.call("dialog.save", { suggested: name });
    if (path === null) return;
    const { count } = await workspace.host.call("memories.export", { user, format, path });
    notify.done(TEXTS.exported(count, path));
  });
}

/** Removes a user and the user's memories, after asking. */
export async function removeUser(workspace: Workspace): Promise<void> {
  const { current, names } = workspace.users.store.getState();
  const others = names.filter((name) => name !== current);
  const name = await workspace.questions.ask({
    title: TEXTS.removeUserWhich,
    text: TEXTS.removeUserWhichHelp,
    actions: others.map((other) => ({ id: other, label: other, kind: "plain" })),
  });
  if (name === undefined) return;
  const choice = await workspace.questions.ask({
    title: TEXTS.removeUserTitle(name),
    text: TEXTS.removeUserWarning,
    actions: [{ id: "remove", label: TEXTS.removeUserAction, kind: "danger" }],
  });
  if (choice === "remove") await reportErrors(() => workspace.users.remove(name, true));
}

async function reportErrors(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (thrown) {
    notify.error(HostError.from(thrown));
    return false;
  }
}
