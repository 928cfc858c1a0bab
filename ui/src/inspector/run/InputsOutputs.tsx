import type { NodeId } from "@/bindings";
import { Empty } from "@/design/text/Empty";
import { ValueView } from "@/run/values/ValueView";
import { useChosenEpoch, useShownRun } from "@/workspace/run-hooks";
import { ActivationSummary, Attempts, Questions } from "./ActivationSummary";
import { ChildRuns } from "./ChildRuns";
import { Knowledge } from "./Knowledge";
import { NodeTotals } from "./NodeTotals";
import { OriginChips } from "./OriginChips";
import { Inputs, Outputs } from "./Ports";
import { RunPage } from "./RunPage";
import { Section } from "./Section";
import { ToolCalls } from "./ToolCalls";
import { TEXTS } from "./texts";

/** The inputs of one activation of the node, its outputs, and the events between. */
export function InputsOutputs({ nodeId }: { nodeId: NodeId }) {
  const run = useShownRun();
  const { view: node, epoch: view } = useChosenEpoch(nodeId);
  if (!run || !view) {
    return (
      <Empty title={run ? TEXTS.notRunYet : TEXTS.noRunYet}>
        <p>{TEXTS.inputOutputValuesAppear}</p>
      </Empty>
    );
  }
  return (
    <RunPage label={TEXTS.inputOutput}>
      <ActivationSummary view={view} />
      {node ? <NodeTotals view={node} /> : null}
      <ChildRuns view={view} />
      <Questions view={view} />
      <Inputs run={run} node={nodeId} view={view} />
      <Outputs run={run} node={nodeId} view={view} />
      <OriginChips origins={view.origins} />
      <Knowledge view={view} />
      <ToolCalls view={view} />
      <Attempts view={view} />
      {view.metadata ? (
        <Section title={TEXTS.metadata}>
          <ValueView value={view.metadata} label={TEXTS.metadata} />
        </Section>
      ) : null}
    </RunPage>
  );
}
