/** What can be done about a finding with one press. */
import type { CheckedFlow, EdgeId, Flow } from "@/bindings";
import { edgeKind } from "@/flow/connect/ports";
import { routeThroughNext } from "@/flow/edits/container-edits";
import type { NodeTypes } from "@/flow/node-types/node-types";
import { TEXTS } from "@/flow/texts";

export type QuickFix = { label: string; flow: Flow };

type Finding = { code: string; edge?: EdgeId };

/** The flow without the finding; undefined where that needs a decision of the person. */
export function quickFix(types: NodeTypes, flow: Flow, checked: CheckedFlow, finding: Finding): QuickFix | undefined {
  if (finding.code !== "loop.side_exit" || finding.edge === undefined) return undefined;
  const fixed = routeThroughNext(flow, finding.edge, (edge) => edgeKind(types, flow, checked, edge) === "context");
  return fixed && { label: TEXTS.routeThroughNext, flow: fixed };
}
