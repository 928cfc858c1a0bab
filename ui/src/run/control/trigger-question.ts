import type { NodeId } from "@/bindings";
import type { QuestionStore } from "@/design/dialogs/question-store";
import { documentFlow, type FlowState } from "@/flow/document/flow-state";
import { triggersOf } from "@/flow/edits/edits";
import { TEXTS } from "@/run/texts";

/** Asks at which trigger a run of the document begins. Nothing if it has one way in. The answer is undefined if the person cancels. */
export function askTrigger(state: FlowState, questions: QuestionStore): Promise<NodeId | undefined> | undefined {
  const flow = documentFlow(state);
  const triggers = triggersOf(flow);
  if (state.viewing || triggers.length < 2) return undefined;
  return questions.ask({
    title: TEXTS.chooseTrigger,
    text: TEXTS.chooseTriggerHint,
    actions: triggers.map((id, index) => ({
      id,
      label: flow.nodes[id]?.title ?? id,
      kind: index === 0 ? "main" : "plain",
    })),
  });
}
