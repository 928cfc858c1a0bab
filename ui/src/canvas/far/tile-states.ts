/** What the tiles show of the active run, read at the moment they are painted. */
import { isStaleIn, isWaitingIn, loopRunWithin, stateWithin } from "@/canvas/cards/useElementViews";
import { frameRunOf, isFrameStaleIn } from "@/canvas/frames/frame-run";
import { displayedFlow } from "@/flow/document/flow-state";
import type { NodeRunState } from "@/run/nodes/element-views";
import type { CanvasElement } from "@/workspace/canvas-store";
import type { Workspace } from "@/workspace/workspace";

export type TileState = { state?: NodeRunState; stale: boolean };

const NOT_RUN: TileState = { stale: false };

/** What an element shows now: as its card would, of the iteration that is looked at. */
export function tileState(
  { activeRun, editor, epochChoice }: Pick<Workspace, "activeRun" | "editor" | "epochChoice">,
  { id, type, data }: CanvasElement,
): TileState {
  const views = activeRun.shown?.fold.nodes;
  if (!views || views.size === 0 || type === "comment") return NOT_RUN;
  const flow = displayedFlow(editor.state);
  if (type === "frame") {
    if (!data.folded) return NOT_RUN;
    const { frame } = data;
    return { state: frameRunOf(flow, frame, views)?.state, stale: isFrameStaleIn(activeRun.session, flow, frame) };
  }
  const iteration = epochChoice.iterationAround(id);
  const view = views.get(id);
  if (!view) return NOT_RUN;
  const isLoop = type === "loop" || data.folded !== undefined;
  let state = isLoop ? loopRunWithin(view, iteration)?.state : stateWithin(view, iteration);
  if (isLoop && state === "running" && isWaitingIn(flow, id, activeRun.head.pauses)) state = "paused";
  return { state, stale: state !== undefined && isStaleIn(activeRun.session, flow, id) };
}
