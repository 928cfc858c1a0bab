/** Commands that give the selected nodes and frames a color. */
import type { CanvasColor } from "@/bindings";
import { CANVAS_COLORS, commonColor } from "@/flow/edits/canvas-colors";
import type { Command } from "@/workspace/commands/command";

export const colorCommands: readonly Command[] = [undefined, ...CANVAS_COLORS].map(commandFor);

function commandFor(color: CanvasColor | undefined): Command {
  return {
    id: `color.${color ?? "none"}`,
    title: color === undefined ? "No color" : `Color ${color}`,
    group: "Edit",
    terms: ["tint", "highlight", "mark", "node"],
    enabled: ({ editor }) => editor.state.selection.nodes.size + (editor.state.selection.frames?.size ?? 0) > 0,
    checked: ({ editor: { state } }) =>
      commonColor(state.flow, state.selection.nodes, state.selection.frames) === color,
    run: ({ editor }) => editor.setColor(editor.state.selection, color),
  };
}
