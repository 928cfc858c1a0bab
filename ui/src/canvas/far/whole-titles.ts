/** Whether a far view of a flow can be read. */
import type { Workspace } from "@/workspace/workspace";
import { titleRoom } from "./paint-tiles";
import { isTitleWhole } from "./tile-title";
import { tilesOf } from "./tiles";

/** Whether the tiles of all cards have room for their whole titles at a zoom. */
export function haveWholeTitles({ canvas, nodeTypes }: Pick<Workspace, "canvas" | "nodeTypes">, zoom: number): boolean {
  const widthOf = (text: string) => canvas.titleWidths.widthOf(text);
  const tiles = tilesOf(nodeTypes.all, canvas.drawnNodes(), canvas.drawnFrames());
  return tiles.every(({ kind, title, box }) => {
    const onScreen = { width: box.width * zoom, height: box.height * zoom };
    return kind !== "card" || isTitleWhole(title, titleRoom(onScreen, true, false), widthOf);
  });
}
