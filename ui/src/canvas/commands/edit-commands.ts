/** Commands that change the flow on the canvas. */

import type { CanvasColor, NodeId } from "@/bindings";
import { CANVAS_COLORS } from "@/bindings/constants";
import { alignSelection, distributeSelection, nudge, resizeSelected } from "@/canvas/arrange/arrange";
import { tidy } from "@/canvas/arrange/tidy";
import { routeCommands } from "@/canvas/edges/route-commands";
import { frameElement } from "@/canvas/elements/frame-ids";
import { frameCommands, selectedFrame } from "@/canvas/frames/frame-commands";
import { loopCommands } from "@/canvas/loops/loop-commands";
import { GRID } from "@/canvas/measure/geometry";
import { snapCommands } from "@/canvas/move/snap-settings";
import { focusedItem, toggleFocused } from "@/canvas/select/multi-select";
import type { Alignment, Axis } from "@/flow/align/align";
import { isContainer } from "@/flow/containers/containers";
import { commonColor } from "@/flow/edits/canvas-colors";
import { commentField } from "@/flow/node-types/node-types";
import type { Command } from "@/workspace/commands/command";
import type { Workspace } from "@/workspace/workspace";
import { copyToClipboard, cutToClipboard, duplicateSelection, pasteFromClipboard } from "./clipboard";
import { innerFlowCommands } from "./inner-flow-commands";
import { pinCommands } from "./pin-commands";

const selected = ({ editor }: Workspace) => editor.state.selection;
const anyNode = (workspace: Workspace) => selected(workspace).nodes.size > 0;
const oneNode = (workspace: Workspace) => selected(workspace).nodes.size === 1;
const oneResizable = (workspace: Workspace) => {
  const { editor, nodeTypes } = workspace;
  const id = first(workspace) ?? "";
  const { flow } = editor.state;
  if (!oneNode(workspace)) return false;
  const loop = isContainer(nodeTypes.all, flow.nodes[id]) && flow.layout[id]?.folded !== true;
  return loop || commentField(nodeTypes.all, flow.nodes[id]) !== undefined;
};
const several = (workspace: Workspace) => selected(workspace).nodes.size > 1;
const anyNodeOrFrame = (workspace: Workspace) => anyNode(workspace) || (selected(workspace).frames?.size ?? 0) > 0;
const anything = (workspace: Workspace) => anyNodeOrFrame(workspace) || selected(workspace).edges.size > 0;
/** The selected nodes that runs would come to: all but comments. */
const runnable = (workspace: Workspace) => {
  const { flow } = workspace.editor.state;
  const isComment = (id: NodeId) => commentField(workspace.nodeTypes.all, flow.nodes[id]) !== undefined;
  return [...selected(workspace).nodes].filter((id) => !isComment(id));
};
const first = (workspace: Workspace) => [...selected(workspace).nodes][0];

/** They give the selected nodes and frames a color. */
export const colorCommands: readonly Command[] = [undefined, ...CANVAS_COLORS].map(colorCommand);

export const editCommands: readonly Command[] = [
  {
    id: "edit.undo",
    title: "Undo",
    group: "Edit",
    keys: ["Mod+Z"],
    whileHeld: true,
    whileUntouched: true,
    enabled: ({ editor }) => editor.state.history.past.length > 0,
    run: ({ editor }) => editor.undo(),
  },
  {
    id: "edit.redo",
    title: "Redo",
    group: "Edit",
    keys: ["Mod+Shift+Z", "Mod+Y"],
    whileHeld: true,
    enabled: ({ editor }) => editor.state.history.future.length > 0,
    run: ({ editor }) => editor.redo(),
  },
  // The clipboard's keys are not bound here: they come as the page's own events, see `clipboard.ts`.
  { id: "edit.cut", title: "Cut", group: "Edit", enabled: anyNodeOrFrame, run: cutToClipboard },
  { id: "edit.copy", title: "Copy", group: "Edit", enabled: anyNodeOrFrame, run: copyToClipboard },
  { id: "edit.paste", title: "Paste", group: "Edit", run: pasteFromClipboard },
  {
    id: "edit.duplicate",
    title: "Duplicate",
    group: "Edit",
    keys: ["Mod+D"],
    onCanvas: true,
    enabled: anyNodeOrFrame,
    run: duplicateSelection,
  },
  {
    id: "edit.delete",
    title: "Delete",
    group: "Edit",
    keys: ["Delete", "Backspace"],
    terms: ["remove"],
    onCanvas: true,
    enabled: anything,
    run: ({ editor }) => editor.removeSelection(),
  },
  {
    id: "edit.selectAll",
    title: "Select all",
    group: "Edit",
    keys: ["Mod+A"],
    onCanvas: true,
    run: ({ editor }) => editor.selectAll(),
  },
  {
    id: "edit.selectNone",
    title: "Clear selection",
    group: "Edit",
    keys: ["Escape"],
    onCanvas: true,
    enabled: anything,
    run: ({ editor }) => editor.selectOnly({}),
  },
  {
    id: "edit.toggleSelection",
    title: "Toggle selection of focused item",
    group: "Edit",
    keys: ["Shift+Space"],
    onCanvas: true,
    keyOnly: true,
    enabled: () => focusedItem() !== undefined,
    run: toggleFocused,
  },
  {
    id: "edit.rename",
    title: "Rename node or frame",
    group: "Edit",
    keys: ["F2"],
    terms: ["title", "name"],
    enabled: (workspace) => oneNode(workspace) || selectedFrame(workspace) !== undefined,
    run: (workspace) => {
      const frame = selectedFrame(workspace);
      const renaming = frame === undefined ? first(workspace) : frameElement(frame);
      if (workspace.editor.mayEdit()) workspace.canvas.set({ renaming });
    },
  },
  {
    id: "edit.disable",
    title: "Disable or enable",
    group: "Edit",
    keys: ["D"],
    terms: ["bypass", "mute", "skip", "turn off", "node"],
    onCanvas: true,
    enabled: (workspace) => runnable(workspace).length > 0,
    run: (workspace) => {
      const { flow } = workspace.editor.state;
      const ids = runnable(workspace);
      workspace.editor.disable(ids, !ids.every((id) => flow.nodes[id]?.disabled));
    },
  },
  {
    id: "edit.trigger",
    title: "Make trigger or no trigger",
    group: "Edit",
    terms: ["start", "begin", "way in", "entry", "node"],
    // A node inside of a loop begins no run.
    enabled: (workspace) =>
      runnable(workspace).length === 1 &&
      workspace.editor.state.flow.nodes[first(workspace) ?? ""]?.parent === undefined,
    run: (workspace) => {
      const [id] = runnable(workspace);
      if (id !== undefined)
        workspace.editor.setTrigger(id, workspace.editor.state.flow.nodes[id]?.trigger === undefined);
    },
  },
  {
    id: "edit.connect",
    title: "Connect node…",
    group: "Edit",
    keys: ["C"],
    terms: ["edge", "wire", "link"],
    onCanvas: true,
    enabled: oneNode,
    run: (workspace) => {
      if (workspace.editor.mayEdit()) workspace.canvas.set({ connecting: first(workspace) });
    },
  },
  {
    id: "arrange.tidy",
    title: "Tidy up",
    group: "Arrange",
    keys: ["Shift+L"],
    terms: ["auto", "layout", "arrange"],
    run: tidy,
  },
  align("left", "Align left", "Alt+L"),
  align("center", "Align centers", "Alt+H"),
  align("right", "Align right", "Alt+D"),
  align("top", "Align top", "Alt+W"),
  align("middle", "Align middles", "Alt+V"),
  align("bottom", "Align bottom", "Alt+S"),
  distribute("horizontal", "Distribute horizontally", "Alt+Shift+H"),
  distribute("vertical", "Distribute vertically", "Alt+Shift+V"),
  ...frameCommands,
  ...colorCommands,
  ...snapCommands,
  ...loopCommands,
  ...routeCommands,
  ...innerFlowCommands,
  ...pinCommands,
  ...nudges("Left", -1, 0),
  ...nudges("Right", 1, 0),
  ...nudges("Up", 0, -1),
  ...nudges("Down", 0, 1),
  resize("Right", "wider", GRID, 0),
  resize("Left", "narrower", -GRID, 0),
  resize("Down", "taller", 0, GRID),
  resize("Up", "shorter", 0, -GRID),
];

function align(to: Alignment, title: string, keys: string): Command {
  return {
    id: `arrange.${to}`,
    title,
    group: "Arrange",
    keys: [keys],
    onCanvas: true,
    enabled: several,
    run: (workspace) => alignSelection(workspace, to),
  };
}

function distribute(axis: Axis, title: string, keys: string): Command {
  const enabled = (workspace: Workspace) => selected(workspace).nodes.size > 2;
  return {
    id: `arrange.${axis}`,
    title,
    group: "Arrange",
    keys: [keys],
    onCanvas: true,
    enabled,
    run: (workspace) => distributeSelection(workspace, axis),
  };
}

function nudges(to: "Left" | "Right" | "Up" | "Down", dx: number, dy: number): Command[] {
  const base = { group: "Arrange", onCanvas: true, whileHeld: true, keyOnly: true, enabled: anyNodeOrFrame } as const;
  const word = to.toLowerCase();
  return [
    {
      ...base,
      id: `arrange.nudge.${word}`,
      title: `Move ${word}`,
      keys: [`Arrow${to}`],
      run: (workspace) => nudge(workspace, dx, dy),
    },
    {
      ...base,
      id: `arrange.push.${word}`,
      title: `Move ${word} by a grid step`,
      keys: [`Shift+Arrow${to}`],
      run: (workspace) => nudge(workspace, GRID * dx, GRID * dy),
    },
  ];
}

function resize(arrow: "Left" | "Right" | "Up" | "Down", how: string, dx: number, dy: number): Command {
  return {
    id: `arrange.${how}`,
    title: `Make note, loop or frame ${how}`,
    group: "Arrange",
    keys: [`Alt+Shift+Arrow${arrow}`],
    onCanvas: true,
    whileHeld: true,
    keyOnly: true,
    enabled: (workspace) => oneResizable(workspace) || selectedFrame(workspace) !== undefined,
    run: (workspace) => resizeSelected(workspace, dx, dy),
  };
}

function colorCommand(color: CanvasColor | undefined): Command {
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
