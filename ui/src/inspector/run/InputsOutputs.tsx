import type { NodeId } from "@/bindings";
import { Empty } from "@/design/Empty";
import { ValueView } from "@/run/values/ValueView";
import { useActiveSession, useChosenEpoch } from "@/workspace/run-hooks";
import { ActivationSummary, Attempts, Questions } from "./ActivationSummary";
import { ChildRuns } from "./ChildRuns";
import { NodeTotals } from "./NodeTotals";
import { Inputs, Outputs } from "./Ports";
import { Section } from "./Section";
import { ToolCalls } from "./ToolCalls";

/** What went into one activation of the node, what came out, and what happened between. */
export function InputsOutputs({ nodeId }: { nodeId: NodeId }) {
  const session = useActiveSession();
  const { view: node, epoch: view } = useChosenEpoch(nodeId);
  if (!session || !view) {
    return (
      <Empty title={session ? "Not run yet" : "No run yet"}>
        <p>Input and output values appear here for each iteration.</p>
      </Empty>
    );
  }
  return (
    <div className="h-full overflow-auto p-3">
      <ActivationSummary view={view} />
      {node ? <NodeTotals view={node} /> : null}
      <ChildRuns view={view} />
      <Questions view={view} />
      <Inputs session={session} node={nodeId} view={view} />
      <Outputs node={nodeId} view={view} />
      <ToolCalls view={view} />
      <Attempts view={view} />
      {view.metadata ? (
        <Section title="Metadata">
          <ValueView value={view.metadata} label="Metadata" />
        </Section>
      ) : null}
    </div>
  );
}
