/** Commands that change the flow on the canvas. */

import * as actions from "@/flow/actions";
import type { Alignment, Axis } from "@/flow/align";
import { commentField } from "@/flow/node-types";
import { flowStore } from "@/flow/store";
import type { Command } from "@/workspace/command";
import { alignSelection, distributeSelection, nudge, resizeNote } from "./arrange";
import { canvasStore } from "./canvas-store";
import { copyToClipboard, cutToClipboard, duplicateSelection, pasteFromClipboard } from "./clipboard";
import { GRID } from "./geometry";
import { focusedItem, gatherFocused } from "./multi-select";
import { tidy } from "./tidy";

const selected = () => flowStore.getState().selection;
const anyNode = () => selected().nodes.size > 0;
const oneNode = () => selected().nodes.size === 1;
const oneNote = () => oneNode() && commentField(flowStore.getState().flow.nodes[first() ?? ""]) !== undefined;
const several = () => selected().nodes.size > 1;
const anything = () => selected().nodes.size + selected().edges.size > 0;
const first = () => [...selected().nodes][0];

export const editCommands: readonly Command[] = [
  {
    id: "edit.undo",
    title: "Undo",
    group: "Edit",
    keys: ["Mod+Z"],
    whileHeld: true,
    enabled: () => flowStore.getState().history.past.length > 0,
    run: actions.undo,
  },
  {
    id: "edit.redo",
    title: "Redo",
    group: "Edit",
    keys: ["Mod+Shift+Z", "Mod+Y"],
    whileHeld: true,
    enabled: () => flowStore.getState().history.future.length > 0,
    run: actions.redo,
  },
  // The clipboard's keys are not bound here: they come as the page's own events, see `clipboard.ts`.
  { id: "edit.cut", title: "Cut", group: "Edit", enabled: anyNode, run: cutToClipboard },
  { id: "edit.copy", title: "Copy", group: "Edit", enabled: anyNode, run: copyToClipboard },
  { id: "edit.paste", title: "Paste", group: "Edit", run: pasteFromClipboard },
  {
    id: "edit.duplicate",
    title: "Duplicate",
    group: "Edit",
    keys: ["Mod+D"],
    onCanvas: true,
    enabled: anyNode,
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
    run: actions.removeSelection,
  },
  { id: "edit.selectAll", title: "Select all", group: "Edit", keys: ["Mod+A"], onCanvas: true, run: actions.selectAll },
  {
    id: "edit.selectNone",
    title: "Clear selection",
    group: "Edit",
    keys: ["Escape"],
    onCanvas: true,
    enabled: anything,
    run: () => actions.selectOnly({}),
  },
  {
    id: "edit.gather",
    title: "Toggle selection of focused item",
    group: "Edit",
    keys: ["Shift+Space"],
    onCanvas: true,
    keyOnly: true,
    enabled: () => focusedItem() !== undefined,
    run: gatherFocused,
  },
  {
    id: "edit.rename",
    title: "Rename node",
    group: "Edit",
    keys: ["F2"],
    terms: ["title", "name"],
    enabled: oneNode,
    run: () => {
      if (actions.mayEdit()) canvasStore.setState({ renaming: first() });
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
    run: () => {
      if (actions.mayEdit()) canvasStore.setState({ connecting: first() });
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
    run: () => alignSelection(to),
  };
}

function distribute(axis: Axis, title: string, keys: string): Command {
  const enabled = () => selected().nodes.size > 2;
  return {
    id: `arrange.${axis}`,
    title,
    group: "Arrange",
    keys: [keys],
    onCanvas: true,
    enabled,
    run: () => distributeSelection(axis),
  };
}

function nudges(to: "Left" | "Right" | "Up" | "Down", dx: number, dy: number): Command[] {
  const base = { group: "Arrange", onCanvas: true, whileHeld: true, keyOnly: true, enabled: anyNode } as const;
  const word = to.toLowerCase();
  return [
    { ...base, id: `arrange.nudge.${word}`, title: `Move ${word}`, keys: [`Arrow${to}`], run: () => nudge(dx, dy) },
    {
      ...base,
      id: `arrange.push.${word}`,
      title: `Move ${word} by a grid step`,
      keys: [`Shift+Arrow${to}`],
      run: () => nudge(GRID * dx, GRID * dy),
    },
  ];
}

function resize(arrow: "Left" | "Right" | "Up" | "Down", how: string, dx: number, dy: number): Command {
  return {
    id: `arrange.${how}`,
    title: `Make note ${how}`,
    group: "Arrange",
    keys: [`Alt+Shift+Arrow${arrow}`],
    onCanvas: true,
    whileHeld: true,
    keyOnly: true,
    enabled: oneNote,
    run: () => resizeNote(dx, dy),
  };
}
