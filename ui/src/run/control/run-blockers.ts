import type { Diagnostic } from "@/bindings";
import type { FlowState } from "@/flow/document/flow-state";

/** Errors of the document that keep it from running. Those of another trigger keep only its own runs from starting. */
export function runBlockers(state: FlowState): Diagnostic[] {
  return state.checked.diagnostics.filter((found) => found.severity === "error" && found.trigger === undefined);
}
