import { Pin } from "lucide-react";
import type { ReactNode } from "react";
import { MAP_BELOW_ZOOM } from "@/canvas/far/detail";
import { fitTitle } from "@/canvas/far/tile-title";
import { TEXTS } from "@/canvas/texts";
import type { NodeRunState } from "@/run/nodes/element-views";
import { useCanvas, useWorkspace } from "@/workspace/context";
import { describeState } from "./StatusRing";
import { useIsStale } from "./useElementViews";

/** Screen pixels. */
const PADDING = 7;
const ABOVE = 2;
const ICON = 13;
const GAP = 5;

type Props = {
  id: string;
  title: string;
  icon?: ReactNode;
  /** Canvas units. */
  width: number;
  height: number;
  /** Absent for what never runs. */
  state?: NodeRunState;
  isPinned?: boolean;
};

/** What a card is while the view is far away: its icon and title in a size that can be read, on the color of its state. */
export function Tile({ id, title, icon, width, height, state, isPinned }: Props) {
  const { canvas } = useWorkspace();
  const zoom = useCanvas((all) => (all.renaming === id ? undefined : all.farZoom));
  const stale = useIsStale(id) && state !== undefined;
  if (zoom === undefined) return null;
  const mark = isPinned ? <Pin aria-hidden /> : icon;
  const isMap = zoom < MAP_BELOW_ZOOM;
  const room = { width: width * zoom - 2 * PADDING, height: height * zoom - 2 * ABOVE, icon: icon ? ICON + GAP : 0 };
  const { lines, size, withIcon } = fitTitle(title, room, (text) => canvas.titleWidths.widthOf(text));
  return (
    <div
      className="tile"
      data-testid={`tile-${id}`}
      data-state={state}
      data-stale={stale || undefined}
      role="img"
      aria-label={[title, isPinned && TEXTS.pinned, state && describeState(state, stale)].filter(Boolean).join(", ")}
      title={title}
    >
      {isMap ? null : (
        <>
          {withIcon ? mark : null}
          <span className="tile-title" style={{ fontSize: size / zoom }}>
            {lines.map((line) => (
              <span key={line}>{line}</span>
            ))}
          </span>
        </>
      )}
    </div>
  );
}
