/** A flow as an image: onto the clipboard, or into a file. */

import { TEXTS } from "@/canvas/texts";
import { notify } from "@/design/dialogs/notify";
import { CssColors } from "@/design/theme/css-colors";
import { displayedFlow, fileName } from "@/flow/document/flow-state";
import { HostError } from "@/ipc";
import { toBase64 } from "@/ipc/base64";
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";
import type { FlowImage } from "./flow-svg";

/** Dots for each canvas unit; fewer where the image would be larger than browsers can draw. */
const SCALE = 2;
const MAX_SIDE_PX = 8_000;

const isDrawn = ({ canvas, editor }: Workspace) =>
  canvas.instance !== undefined && Object.keys(displayedFlow(editor.state).nodes).length > 0;

export const imageCommands: readonly Command[] = [
  {
    id: "image.copy",
    title: "Copy as image",
    group: "Edit",
    terms: ["png", "picture", "screenshot", "clipboard"],
    enabled: isDrawn,
    needsGesture: true,
    run: copyAsImage,
  },
  {
    id: "image.exportSvg",
    title: "Export as SVG",
    group: "Edit",
    terms: ["image", "picture", "vector", "save"],
    enabled: isDrawn,
    run: exportSvg,
  },
];

async function copyAsImage(workspace: Workspace): Promise<void> {
  const drawn = drawPng(workspace);
  // Begun while the person's key or click counts: WebKit gives the clipboard to nobody else.
  const copying = copy(drawn).then(
    () => true,
    () => false,
  );
  try {
    const png = await drawn;
    if (await copying) return notify.done(TEXTS.imageCopied);
    // The clipboard takes no images here.
    const file = await save(workspace, png, "png");
    if (file !== undefined) notify.info(TEXTS.imageSavedInstead(file));
  } catch (thrown) {
    report(thrown);
  }
}

async function exportSvg(workspace: Workspace): Promise<void> {
  try {
    const { svg } = await imageOf(workspace);
    const file = await save(workspace, new Blob([svg]), "svg");
    if (file !== undefined) notify.done(TEXTS.imageSaved(file));
  } catch (thrown) {
    report(thrown);
  }
}

function report(thrown: unknown): void {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  notify.error(thrown instanceof HostError ? thrown : { code: "image.not_drawn", message });
}

async function copy(png: Promise<Blob>): Promise<void> {
  await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
}

/** Saves an image where the person chooses. Returns the name of the file, or nothing if the dialog was canceled. */
async function save(workspace: Workspace, image: Blob, extension: string): Promise<string | undefined> {
  const data = toBase64(new Uint8Array(await image.arrayBuffer()));
  const { path } = await workspace.host.call("image.save", { suggested: `${nameOf(workspace)}.${extension}`, data });
  return path === null ? undefined : fileName(path);
}

function nameOf({ editor }: Workspace): string {
  const name = displayedFlow(editor.state).name || TEXTS.untitledImage;
  return name.replace(/[\\/:*?"<>|]+/g, "-");
}

async function imageOf({ canvas, editor, nodeTypes }: Workspace): Promise<FlowImage> {
  const { flowSvg } = await import("./flow-svg");
  const probe = document.createElement("i");
  document.body.append(probe);
  const image = flowSvg({
    name: displayedFlow(editor.state).name,
    nodes: canvas.drawnNodes(),
    frames: canvas.drawnFrames(),
    edges: canvas.instance?.getEdges() ?? [],
    types: nodeTypes.all,
    color: new CssColors().resolver(probe),
  });
  probe.remove();
  if (!image) throw new Error(TEXTS.nothingToDraw);
  return image;
}

async function drawPng(workspace: Workspace): Promise<Blob> {
  const { svg, width, height } = await imageOf(workspace);
  const scale = Math.min(SCALE, MAX_SIDE_PX / Math.max(width, height));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const sheet = document.createElement("canvas");
  sheet.width = Math.max(1, Math.round(width * scale));
  sheet.height = Math.max(1, Math.round(height * scale));
  sheet.getContext("2d")?.drawImage(image, 0, 0, sheet.width, sheet.height);
  const blob = await new Promise<Blob | null>((resolve) => sheet.toBlob(resolve, "image/png"));
  if (!blob) throw new Error(TEXTS.imageTooLarge);
  return blob;
}
