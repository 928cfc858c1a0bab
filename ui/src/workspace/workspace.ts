/** The state of one window. Everything that outlives a component is created here and handed down from here. */
import { ConversationList } from "@/conversations/conversation-list";
import { CurrentConversation } from "@/conversations/current-conversation";
import { RunControl } from "@/run/control";
import { EpochChoice } from "@/run/epoch-choice";
import { ActiveRun } from "@/run/live/active-run";
import { NodeNames } from "@/run/node-names";
import { RunList } from "@/run/run-list";
import { LayoutStore } from "@/workbench/layout";
import { OverlayStore } from "@/workbench/overlays";
import { ProviderStore } from "@/workbench/providers";
import { SettingsStore } from "@/workbench/settings";
import { ViewMotion } from "@/workbench/view-motion";

export type Workspace = ReturnType<typeof createWorkspace>;

export function createWorkspace() {
  const settings = new SettingsStore();
  const layout = new LayoutStore(settings);
  const viewMotion = new ViewMotion();
  const conversations = new ConversationList();
  const conversation = new CurrentConversation(conversations);
  const activeRun = new ActiveRun(viewMotion);
  const runList = new RunList();
  return {
    settings,
    providers: new ProviderStore(settings),
    layout,
    overlays: new OverlayStore(),
    viewMotion,
    /** The list of conversations. */
    conversations,
    /** The conversation that the next run continues. */
    conversation,
    /** The run that the window shows. */
    activeRun,
    /** The list of runs. */
    runList,
    /** Starts, opens, answers and stops runs. */
    runs: new RunControl({ layout, conversation, list: runList, active: activeRun }),
    epochChoice: new EpochChoice(activeRun),
    nodeNames: new NodeNames(activeRun),
  };
}
