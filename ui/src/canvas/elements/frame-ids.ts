/** React Flow has one kind of nodes: the ids of frames among them begin with a prefix. */
import type { FrameId } from "@/bindings";

const PREFIX = "frame:";

/** The id of a frame's element on the canvas. */
export function frameElement(id: FrameId): string {
  return PREFIX + id;
}

/** The frame that an element of the canvas is; undefined for a node. */
export function frameIdOf(element: string): FrameId | undefined {
  return element.startsWith(PREFIX) ? element.slice(PREFIX.length) : undefined;
}
