import type { Side, StopScope } from "@/bindings";

const SIDES: Record<Side, string> = { before: "before", call: "each call", after: "after" };

/** Which side of a node, or which of its ports. */
const at = (side: Side, port?: string) =>
  port === undefined ? SIDES[side] : side === "before" ? `input ${port}` : `output ${port}`;

/** Every text of this part of the window. */
export const TEXTS = {
  none: "No breakpoints",
  howToSet: "Select a node and press F9, or use Debugging in the inspector. Runs pause there.",
  noneOfRun: "This run has no breakpoints.",
  insideNode: "Breakpoints belong to the outer flow. Go back to it to see them.",
  at,
  place: (name: string, side: Side, port?: string) => `${name}, ${at(side, port)}`,
  list: "Breakpoints",
  columns: { place: "Node", condition: "Condition", log: "Log text" },
  enabled: (place: string) => `Breakpoint at ${place}`,
  enable: "Enable",
  disable: "Disable",
  conditionOf: (place: string) => `Condition of ${place}`,
  always: "Always",
  logTextOf: (place: string) => `Log text of ${place}`,
  pause: (scope?: StopScope) => (scope === "branch" ? "None: this branch pauses" : "None: runs pause"),
  showOnCanvas: (name: string) => `Show ${name} on canvas`,
  nodeGone: "Node is gone",
  remove: (place: string) => `Remove breakpoint at ${place}`,
  removeAll: "Remove all",
  removed: (count: number) => `${count} ${count === 1 ? "breakpoint" : "breakpoints"} removed`,
  undo: "Undo",
  pausedHere: "The run is paused here",
} as const;
