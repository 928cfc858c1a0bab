/** A flow as an image: onto the clipboard, or into a file. */
import { resolver } from "@/design/css-colors";
import { notify } from "@/design/notify";
import { displayedFlow } from "@/flow/flow-state";
import { HostError } from "@/ipc";
import type { Command } from "@/workspace/command";
import type { Workspace } from "@/workspace/workspace";
import type { FlowImage } from "./flow-svg";
import { TEXTS } from "./texts";

/** Dots for each canvas unit; fewer where the image would be larger than browsers can draw. */
const SCALE = 2;
const MAX_SIDE_PX = 8_000;

const hasNodes = ({ editor }: Workspace) => Object.keys(displayedFlow(editor.state).nodes).length > 0;

export const imageCommands: readonly Command[] = [
  {
    id: "image.copy",
    title: "Copy as image",
    group: "Edit",
    terms: ["png", "picture", "screenshot", "clipboard"],
    enabled: hasNodes,
    run: copyAsImage,
  },
  {
    id: "image.exportSvg",
    title: "Export as SVG",
    group: "Edit",
    terms: ["image", "picture", "vector", "save"],
    enabled: hasNodes,
    run: async (workspace) => {
      const image = await imageOf(workspace);
      if (image) saveFile(new Blob([image.svg], { type: "image/svg+xml" }), `${nameOf(workspace)}.svg`);
    },
  },
];

async function copyAsImage(workspace: Workspace): Promise<void> {
  const image = await imageOf(workspace);
  if (!image) return;
  try {
    const png = await pngOf(image);
    try {
      await navigator.clipboard.write([new ClipboardItem({ [png.type]: png })]);
      notify.done(TEXTS.imageCopied);
    } catch {
      // The clipboard takes no images here.
      const file = `${nameOf(workspace)}.png`;
      saveFile(png, file);
      notify.info(TEXTS.imageSaved(file));
    }
  } catch (thrown) {
    notify.error(HostError.from(thrown));
  }
}

function nameOf({ editor }: Workspace): string {
  const name = displayedFlow(editor.state).name || TEXTS.untitledImage;
  return name.replace(/[\\/:*?"<>|]+/g, "-");
}

async function imageOf({ canvas, editor, nodeTypes }: Workspace): Promise<FlowImage | undefined> {
  const { flowSvg } = await import("./flow-svg");
  const probe = document.createElement("i");
  document.body.append(probe);
  const { instance } = canvas;
  const image =
    instance &&
    flowSvg({
      name: displayedFlow(editor.state).name,
      nodes: canvas.drawnNodes(),
      frames: canvas.drawnFrames(),
      edges: instance.getEdges(),
      types: nodeTypes.all,
      color: resolver(probe),
    });
  probe.remove();
  return image;
}

async function pngOf({ svg, width, height }: FlowImage): Promise<Blob> {
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

/** Saves a file as a browser does: where downloads go. */
function saveFile(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The download reads it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
