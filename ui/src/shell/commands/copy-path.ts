/** Copies the path of a flow's file, and says so. */
import { notify } from "@/design/dialogs/notify";
import { TEXTS } from "@/shell/texts";

export async function copyPath(path: string | undefined): Promise<void> {
  if (path === undefined) return;
  try {
    await navigator.clipboard.writeText(path);
    notify.done(TEXTS.pathCopied);
  } catch {
    notify.info(TEXTS.clipboardFailed);
  }
}
