import type { FlowState } from "@/flow/document/flow-state";
import { useFlow } from "@/workspace/context";
import { EdgeInspector } from "./EdgeInspector";
import { FlowInspector } from "./FlowInspector";
import { FrameInspector } from "./FrameInspector";
import { NodeInspector } from "./NodeInspector";
import { SeveralInspector } from "./SeveralInspector";

const NONE: readonly string[] = [];

/** Identifies the flow on the canvas among all documents, the flows inside their nodes and the viewed runs. */
function editedFlow({ key, outer = [], viewing }: FlowState): string {
  return [key, ...outer.map(({ node }) => node), viewing?.run ?? ""].join("/");
}

/** The right side: everything about the selection, or about the flow without one. */
export function Inspector() {
  const count = useFlow((state) => state.selection.nodes.size);
  const edges = useFlow((state) => state.selection.edges.size);
  const [node] = useFlow((state) => state.selection.nodes);
  const [edge] = useFlow((state) => state.selection.edges);
  const edited = useFlow(editedFlow);
  const frames = useFlow((state) => state.selection.frames?.size ?? 0);
  const [frame] = useFlow((state) => state.selection.frames ?? NONE);
  return (
    // Ids repeat between flows: a draft in one must not appear in the same field of another.
    <div key={edited} className="h-full" data-testid="inspector">
      {count + edges === 0 && frames === 1 && frame !== undefined ? (
        <FrameInspector key={frame} frameId={frame} />
      ) : count === 1 && frames === 0 && node !== undefined ? (
        <NodeInspector key={node} nodeId={node} />
      ) : count + frames === 0 && edges === 1 && edge !== undefined ? (
        <EdgeInspector key={edge} edgeId={edge} />
      ) : count + edges + frames > 1 ? (
        <SeveralInspector />
      ) : (
        <FlowInspector />
      )}
    </div>
  );
}
