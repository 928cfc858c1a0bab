/** The colors of the timeline's marks: the strand's or the context's, as on the canvas. */

import { contextShade } from "@/flow/document/context-colors";
import type { Workspace } from "@/workspace/workspace";
import type { TimelineRow } from "./rows";
import type { Span } from "./spans";

/** A span's color as CSS. Waits and failures have their own. */
export function colorOf({ editor, nodeTypes, nodeNames }: Workspace, row: TimelineRow, span: Span): string {
  if (span.kind === "failed") return "var(--bad)";
  if (span.kind === "wait") return "var(--wait)";
  if (span.kind === "delay") return "var(--fg-3)";
  if (span.kind === "stopped") return "var(--line-2)";
  if (row.tool !== undefined) return "var(--tools)";
  switch (nodeTypes.get(nodeNames.typeOf(row.node) ?? "")?.category) {
    case "tools":
      return "var(--tools)";
    case "people":
      return "var(--wait)";
    case "models":
      return contextShade(nodeTypes.all, editor.state, row.node);
    case "contexts":
      return "var(--ok)";
    case "data":
    case "control":
      return "var(--data)";
    default:
      return "var(--fg-3)";
  }
}
