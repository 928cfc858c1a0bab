/** Actions on knowledge bases. They report errors as toasts and never throw. */
import { notify } from "@/design/dialogs/notify";
import { HostError } from "@/ipc";
import type { Workspace } from "@/workspace/workspace";
import { TEXTS } from "./texts";

/** How often the list is read while something is indexed. */
export const POLL_INTERVAL_MS = 400;

/** Indexes changed files, or all. The card shows errors afterwards. */
export async function reindex(workspace: Workspace, name: string, all: boolean, onChange: () => void): Promise<void> {
  const indexed = workspace.host.call("knowledge.reindex", { name, all });
  // The list shows the progress as soon as the host has begun.
  const timer = setInterval(onChange, POLL_INTERVAL_MS);
  try {
    await indexed;
  } catch {
    // The card shows why.
  } finally {
    clearInterval(timer);
    onChange();
  }
}

export async function stopIndexing(workspace: Workspace, name: string, onChange: () => void): Promise<void> {
  await reportErrors(() => workspace.host.call("knowledge.cancel", { name }), onChange);
}

/** Removes it, after asking. */
export async function removeBase(workspace: Workspace, name: string, onChange: () => void): Promise<void> {
  const choice = await workspace.questions.ask({
    title: TEXTS.removeTitle(name),
    text: TEXTS.removeWarning,
    actions: [{ id: "remove", label: TEXTS.removeAction, kind: "danger" }],
  });
  if (choice === "remove") await reportErrors(() => workspace.host.call("knowledge.remove", { name }), onChange);
}

async function reportErrors(work: () => Promise<unknown>, onChange: () => void): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  } finally {
    onChange();
  }
}
