import { useFlow } from "@/workspace/context";
import { EdgeInspector } from "./EdgeInspector";
import { FlowInspector } from "./FlowInspector";
import { FrameInspector } from "./FrameInspector";
import { NodeInspector } from "./NodeInspector";
import { SeveralInspector } from "./SeveralInspector";

const NONE: readonly string[] = [];

/** The right side: everything about what is selected; about the flow itself where nothing is. */
export function Inspector() {
  const count = useFlow((state) => state.selection.nodes.size);
  const edges = useFlow((state) => state.selection.edges.size);
  const [node] = useFlow((state) => state.selection.nodes);
  const [edge] = useFlow((state) => state.selection.edges);
  const frames = useFlow((state) => state.selection.frames?.size ?? 0);
  const [frame] = useFlow((state) => state.selection.frames ?? NONE);
  return (
    <div className="h-full" data-testid="inspector">
      {count + edges === 0 && frames === 1 && frame !== undefined ? (
        <FrameInspector frameId={frame} />
      ) : count === 1 && frames === 0 && node !== undefined ? (
        <NodeInspector key={node} nodeId={node} />
      ) : count + frames === 0 && edges === 1 && edge !== undefined ? (
        <EdgeInspector edgeId={edge} />
      ) : count + edges + frames > 1 ? (
        <SeveralInspector />
      ) : (
        <FlowInspector />
      )}
    </div>
  );
}
