import { Panel, useStore } from "@xyflow/react";
import { Maximize, Minus, Plus, Workflow } from "lucide-react";
import { IconButton } from "@/design/controls/Button";
import { useCommands, useWorkspace } from "@/workspace/context";
import { tidy } from "./arrange/tidy";
import { TEXTS } from "./texts";
import { resetZoom, showAll, zoomBy } from "./view/view";

/** Zoom, fit and tidy, at the canvas's lower left. */
export function CanvasControls() {
  const workspace = useWorkspace();
  const commands = useCommands();
  const percent = useStore((state) => Math.round(state.transform[2] * 100));
  return (
    <Panel position="bottom-left" className="flex gap-1.5">
      <IconButton
        kind="plain"
        label={TEXTS.zoomOut}
        keys={commands.keysOf("view.zoomOut")}
        icon={<Minus size={15} />}
        onClick={() => zoomBy(workspace, 1 / 1.2)}
      />
      <button
        type="button"
        className="h-[30px] w-[58px] rounded-md border border-line bg-bg-2 font-mono text-xs hover:border-line-2 hover:bg-bg-3"
        aria-label={TEXTS.zoomPercentReset100(percent)}
        data-testid="zoom-level"
        onClick={() => resetZoom(workspace)}
      >
        {percent} %
      </button>
      <IconButton
        kind="plain"
        label={TEXTS.zoomIn}
        keys={commands.keysOf("view.zoomIn")}
        icon={<Plus size={15} />}
        onClick={() => zoomBy(workspace, 1.2)}
      />
      <IconButton
        kind="plain"
        label={TEXTS.fitToView}
        keys={commands.keysOf("view.fit")}
        data-testid="fit-button"
        icon={<Maximize size={15} />}
        onClick={() => showAll(workspace)}
      />
      <IconButton
        kind="plain"
        label={TEXTS.tidyUp}
        keys={commands.keysOf("arrange.tidy")}
        icon={<Workflow size={15} />}
        onClick={() => void tidy(workspace)}
      />
    </Panel>
  );
}
