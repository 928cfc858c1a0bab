import { Toggle } from "@base-ui/react/toggle";
import { ToggleGroup } from "@base-ui/react/toggle-group";
import { Ban } from "lucide-react";
import type { FrameId, NodeId } from "@/bindings";
import { CANVAS_COLORS } from "@/bindings/constants";
import { displayedFlow } from "@/flow/document/flow-state";
import { commonColor, tint } from "@/flow/edits/canvas-colors";
import { useFlow, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

const NONE = "none";

type Props = { nodes?: readonly NodeId[]; frames?: readonly FrameId[]; readOnly: boolean };

/** The color of nodes and frames on the canvas. */
export function ColorRow({ nodes = [], frames = [], readOnly }: Props) {
  const { editor } = useWorkspace();
  const shared = useFlow((state) => commonColor(displayedFlow(state), nodes, frames));
  return (
    <fieldset disabled={readOnly}>
      <legend className="mb-1 font-medium text-sm">{TEXTS.color}</legend>
      <ToggleGroup
        aria-label={TEXTS.color}
        className="flex gap-0.5"
        value={[shared ?? NONE]}
        onValueChange={([chosen]) => {
          const color = CANVAS_COLORS.find((one) => one === chosen);
          if (chosen !== undefined) editor.setColor({ nodes, frames }, color);
        }}
      >
        {[undefined, ...CANVAS_COLORS].map((color) => (
          <Toggle
            key={color ?? NONE}
            value={color ?? NONE}
            className="swatch"
            aria-label={color === undefined ? TEXTS.noColor : TEXTS.colors[color]}
            title={color === undefined ? TEXTS.noColor : TEXTS.colors[color]}
            data-testid={`color-${color ?? NONE}`}
          >
            {color === undefined ? <Ban size={14} aria-hidden /> : <i style={{ background: tint(color) }} />}
          </Toggle>
        ))}
      </ToggleGroup>
    </fieldset>
  );
}
