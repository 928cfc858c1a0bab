/** For tests of this folder: everything about runs, on stores of its own. */
import { ConversationList } from "@/conversations/conversation-list";
import { CurrentConversation } from "@/conversations/current-conversation";
import { LayoutStore } from "@/workbench/layout";
import { SettingsStore } from "@/workbench/settings";
import { ViewMotion } from "@/workbench/view-motion";
import { RunControl } from "./control";
import { EpochChoice } from "./epoch-choice";
import { ActiveRun } from "./live/active-run";
import { RunList } from "./run-list";

export type RunParts = ReturnType<typeof createRunParts>;

export function createRunParts() {
  const activeRun = new ActiveRun(new ViewMotion());
  const runList = new RunList();
  const conversation = new CurrentConversation(new ConversationList());
  const layout = new LayoutStore(new SettingsStore());
  return {
    activeRun,
    runList,
    epochChoice: new EpochChoice(activeRun),
    runs: new RunControl({ layout, conversation, list: runList, active: activeRun }),
  };
}
