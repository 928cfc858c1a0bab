/** For tests: everything about runs, on stores of its own. */
import { createFlowParts } from "@/flow/test-parts";
import type { Host } from "@/ipc";
import { RunControl } from "./control/control";
import type { RunWindow } from "./control/run-window";
import { ConversationList } from "./conversations/conversation-list";
import { CurrentConversation } from "./conversations/current-conversation";
import { BreakpointStore } from "./debug/breakpoints";
import { RunList } from "./list/run-list";
import { ActiveRun } from "./live/active-run";
import { ViewMotion } from "./live/view-motion";
import { EpochChoice } from "./nodes/epoch-choice";

export type RunParts = ReturnType<typeof createRunParts>;

const NO_WINDOW: RunWindow = {
  showProblems: () => undefined,
  runStarts: () => undefined,
  showQuestion: () => undefined,
  awaitAnswer: () => () => undefined,
  askGrants: async () => undefined,
  askBill: async ({ choice }) => choice,
  errorAction: () => undefined,
};

export function createRunParts(overrides?: Partial<Host>, window?: Partial<RunWindow>) {
  const flow = createFlowParts(overrides);
  const { host, editor, documents, questions } = flow;
  const activeRun = new ActiveRun(new ViewMotion());
  const runList = new RunList(host);
  const breakpoints = new BreakpointStore(editor, { remembered: () => undefined, remember: () => undefined });
  const conversation = new CurrentConversation(new ConversationList(host, editor), documents);
  return {
    ...flow,
    activeRun,
    runList,
    conversation,
    breakpoints,
    epochChoice: new EpochChoice(activeRun, editor),
    runs: new RunControl({
      host,
      editor,
      documents,
      questions,
      window: { ...NO_WINDOW, ...window },
      conversation,
      list: runList,
      active: activeRun,
      breakpoints,
    }),
  };
}
