/** Files that are dragged over the window and dropped on it: what will happen to them, and doing it. */
import { notify } from "@/design/dialogs/notify";
import { TEXTS } from "@/shell/texts";
import type { Workspace } from "@/workspace/workspace";

/** Parts of the window that take dropped files themselves have this attribute. */
const TAKES_FILES = "[data-takes-files]";
/** Media types that are never flows. The types of flows and pipelines differ between systems, or are missing. */
const NEVER_A_FLOW = /^(?:image|audio|video|font)\/|\/(?:pdf|zip|gzip|x-tar|wasm|octet-stream)$/;
/** The largest file that is read. The host has its own limits, which are lower. */
const MAX_BYTES = 64 << 20;

export type FileDrag = { count: number; opens: boolean };

/** The dragged files, if the window takes them. */
export function fileDrag(event: DragEvent): FileDrag | undefined {
  const { dataTransfer, target } = event;
  if (!dataTransfer?.types.includes("Files")) return undefined;
  if (target instanceof Element && target.closest(TAKES_FILES)) return undefined;
  const files = [...dataTransfer.items].filter(({ kind }) => kind === "file");
  return {
    // Some webviews say how many there are only when they are dropped.
    count: Math.max(1, files.length),
    opens: files.length === 0 || files.some(({ type }) => !NEVER_A_FLOW.test(type)),
  };
}

/** Opens dropped files, one after another, so that their questions and reports don't overlap.
 * Says why when one can't be opened. */
export async function openDropped({ files }: Pick<Workspace, "files">, dropped: readonly File[]): Promise<void> {
  for (const file of dropped) {
    const problem = await problemOf(file);
    if (problem) notify.error(problem);
    else await files.openText(file.name, await file.text());
  }
}

async function problemOf(file: File): Promise<{ code: string; message: string; hint: string } | undefined> {
  const notAFlow = { code: "flow.not_text", message: TEXTS.notAFlow(file.name), hint: TEXTS.whatOpens };
  if (NEVER_A_FLOW.test(file.type)) return notAFlow;
  if (file.size > MAX_BYTES) return { ...notAFlow, code: "flow.too_large", message: TEXTS.fileTooLarge(file.name) };
  try {
    const start = new Uint8Array(await file.slice(0, 4096).arrayBuffer());
    return start.includes(0) ? notAFlow : undefined;
  } catch {
    return { code: "flow.unreadable", message: TEXTS.notReadable(file.name), hint: TEXTS.dropSingleFiles };
  }
}
