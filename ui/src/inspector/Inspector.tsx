import { useFlow } from "@/workspace/context";
import { EdgeInspector } from "./EdgeInspector";
import { FlowInspector } from "./FlowInspector";
import { NodeInspector } from "./NodeInspector";
import { SeveralInspector } from "./SeveralInspector";

/** The right side: everything about what is selected; about the flow itself where nothing is. */
export function Inspector() {
  const count = useFlow((state) => state.selection.nodes.size);
  const edges = useFlow((state) => state.selection.edges.size);
  const [node] = useFlow((state) => state.selection.nodes);
  const [edge] = useFlow((state) => state.selection.edges);
  return (
    <div className="h-full" data-testid="inspector">
      {count === 1 && node !== undefined ? (
        <NodeInspector key={node} nodeId={node} />
      ) : count === 0 && edges === 1 && edge !== undefined ? (
        <EdgeInspector edgeId={edge} />
      ) : count + edges > 1 ? (
        <SeveralInspector />
      ) : (
        <FlowInspector />
      )}
    </div>
  );
}
