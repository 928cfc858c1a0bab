/** A run of a host on this machine. */
import type { RunId } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { HostError } from "@/ipc";
import type { Workspace } from "@/workspace/workspace";

/** Copies a run of the window's host to this machine and shows it in a window of its own. */
export async function bringHome({ remote }: Workspace, run: RunId): Promise<void> {
  await remote?.bringHome(run).catch((thrown) => notify.error(HostError.from(thrown)));
}
