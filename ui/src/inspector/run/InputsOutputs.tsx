import type { NodeId } from "@/bindings";
import { Empty } from "@/look/Empty";
import { ActivationSummary, Attempts, Questions } from "@/run/inspect/ActivationSummary";
import { ChildRuns } from "@/run/inspect/ChildRuns";
import { useChosen } from "@/run/inspect/epoch-choice";
import { NodeTotals } from "@/run/inspect/NodeTotals";
import { Inputs, Outputs } from "@/run/inspect/Ports";
import { Section } from "@/run/inspect/Section";
import { ToolCalls } from "@/run/inspect/ToolCalls";
import { useShownSession } from "@/run/live/shown";
import { ValueView } from "@/run/values/ValueView";

/** What went into one activation of the node, what came out, and what happened between. */
export function InputsOutputs({ nodeId }: { nodeId: NodeId }) {
  const session = useShownSession();
  const { view: node, epoch: view } = useChosen(nodeId);
  if (!session || !view) {
    return (
      <Empty title={session ? "This node has not had its turn" : "No run yet"}>
        <p>Once the node runs, the values on its inputs and outputs stand here, for each round.</p>
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
