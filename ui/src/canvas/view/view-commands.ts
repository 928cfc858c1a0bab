/** Commands that move the view. */

import { focusNext } from "@/canvas/select/keyboard-navigation";
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";
import { panBy, resetZoom, reveal, showAll, showSelection, zoomBy } from "./view";

/** So far the view moves at a press, in screen pixels. */
const PAN = 80;

const one = ({ editor }: Workspace) => editor.state.selection.nodes.size === 1;

export const viewCommands: readonly Command[] = [
  {
    id: "view.fit",
    title: "Fit to view",
    group: "View",
    keys: ["F"],
    terms: ["zoom", "all"],
    run: (workspace) => showAll(workspace),
  },
  {
    id: "view.zoomIn",
    title: "Zoom in",
    group: "View",
    keys: ["+", "="],
    whileHeld: true,
    run: (workspace) => zoomBy(workspace, 1.2, workspace.canvas.pointer),
  },
  {
    id: "view.zoomOut",
    title: "Zoom out",
    group: "View",
    keys: ["-"],
    whileHeld: true,
    run: (workspace) => zoomBy(workspace, 1 / 1.2, workspace.canvas.pointer),
  },
  { id: "view.zoomReset", title: "Zoom to 100 %", group: "View", keys: ["0"], run: resetZoom },
  {
    id: "view.revealSelection",
    title: "Reveal selected node",
    group: "View",
    keys: ["G"],
    terms: ["center", "find"],
    enabled: one,
    run: (workspace) => reveal(workspace, { node: [...workspace.editor.state.selection.nodes][0], center: true }),
  },
  {
    id: "view.fitSelection",
    title: "Zoom to selection",
    group: "View",
    keys: ["Shift+G"],
    terms: ["fit", "selected"],
    enabled: ({ editor }) => editor.state.selection.nodes.size > 0,
    run: showSelection,
  },
  step("Alt+ArrowLeft", "left"),
  step("Alt+ArrowRight", "right"),
  step("Alt+ArrowUp", "up"),
  step("Alt+ArrowDown", "down"),
  pan("Mod+ArrowLeft", "left", -1, 0),
  pan("Mod+ArrowRight", "right", 1, 0),
  pan("Mod+ArrowUp", "up", 0, -1),
  pan("Mod+ArrowDown", "down", 0, 1),
];

function step(keys: string, to: "left" | "right" | "up" | "down"): Command {
  return {
    id: `view.focus.${to}`,
    title: `Go to next node ${to === "up" ? "above" : to === "down" ? "below" : `on the ${to}`}`,
    group: "View",
    keys: [keys],
    onCanvas: true,
    whileHeld: true,
    keyOnly: true,
    run: (workspace) => focusNext(workspace, to),
  };
}

function pan(keys: string, to: string, dx: number, dy: number): Command {
  return {
    id: `view.pan.${to}`,
    title: `Pan ${to}`,
    group: "View",
    keys: [keys],
    onCanvas: true,
    whileHeld: true,
    keyOnly: true,
    run: (workspace) => panBy(workspace, PAN * dx, PAN * dy),
  };
}
