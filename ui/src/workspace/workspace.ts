/** The state of one window. Everything that outlives a component is created here and handed down from here. */

import { createStore } from "zustand/vanilla";
import type { RunMatrix } from "@/bindings";
import { TypeAhead } from "@/design/controls/type-ahead";
import { DialogRequests } from "@/design/dialogs/dialog-requests";
import { notify } from "@/design/dialogs/notify";
import { QuestionStore } from "@/design/dialogs/question-store";
import { FlowEditor } from "@/flow/document/editor";
import { DraftStore } from "@/flow/files/draft-store";
import { FlowFiles } from "@/flow/files/files";
import { OpenDocuments } from "@/flow/files/open-documents";
import { NodeTypeRegistry } from "@/flow/node-types/node-types";
import { ProposalStore } from "@/flow/proposals";
import { type Host, QueryInvalidation, trackRequests } from "@/ipc";
import { CanvasComparison, type ComparedImport } from "@/run/comparison/canvas-comparison";
import type { ComparedRuns } from "@/run/comparison/comparison";
import { RunControl } from "@/run/control/control";
import type { RecordingMask } from "@/run/control/recording-mask";
import type { BillRequest, ForkChoice } from "@/run/control/rerun";
import { ConversationList } from "@/run/conversations/conversation-list";
import { CurrentConversation } from "@/run/conversations/current-conversation";
import { BreakpointStore } from "@/run/debug/breakpoints";
import { WatchStore } from "@/run/debug/watches";
import { FlowForecasts } from "@/run/flow-forecast";
import type { GrantAnswer, GrantRequest } from "@/run/grants/grant-requests";
import { LineageStore } from "@/run/lineage/lineage-store";
import { RunList } from "@/run/list/run-list";
import { ActiveRun } from "@/run/live/active-run";
import { ViewMotion } from "@/run/live/view-motion";
import { EpochChoice } from "@/run/nodes/epoch-choice";
import { NodeNames } from "@/run/nodes/node-names";
import { WaitingRuns } from "@/run/waiting/waiting-runs";
import { CanvasStore } from "./canvas-store";
import { ShortcutStore } from "./commands/shortcuts";
import { errorAction } from "./errors/error-action";
import { FieldDrafts } from "./field-drafts";
import { GuideStore } from "./guide";
import { type FileRequest, withHostFiles } from "./hosts/host-files";
import { HostList } from "./hosts/host-list";
import { type Remote, RemoteHost } from "./hosts/remote-host";
import { SessionStore } from "./session";
import { OwnToolStore } from "./settings/own-tools";
import { ProviderStore } from "./settings/providers";
import { SettingsStore } from "./settings/settings";
import { UserStore } from "./settings/users";
import { FocusClaim } from "./window/focus-claim";
import { InterfaceZoom } from "./window/interface-zoom";
import { LayoutStore } from "./window/layout";
import { OverlayStore } from "./window/overlays";

export type Workspace = ReturnType<typeof createWorkspace>;

/** How long after a run was opened its question is drawn at the latest. Keys are commands again after that. */
const QUESTION_APPEARS_MS = 1_000;

/** Results of a suite, or of the rows of one of its datasets. */
export type ShownResults = { file: string; dataset?: string | undefined };

export function createWorkspace(bareHost: Host) {
  const queryInvalidation = new QueryInvalidation();
  const fileRequests = new DialogRequests<FileRequest, string>();
  const windowHost = bareHost.remote === undefined ? bareHost : withHostFiles(bareHost, fileRequests);
  const host = trackRequests(windowHost, {
    onSuccess: notify.succeeded,
    onCommand: (name) => queryInvalidation.commandSucceeded(name),
  });
  const questions = new QuestionStore();
  const grantRequests = new DialogRequests<GrantRequest, GrantAnswer>();
  const waitingRuns = new WaitingRuns(host);
  const billRequests = new DialogRequests<BillRequest, ForkChoice>();
  const comparisons = new DialogRequests<ComparedRuns, void>();
  const importComparisons = new DialogRequests<ComparedImport, void>();
  const matrices = new DialogRequests<RunMatrix, void>();
  const results = new DialogRequests<ShownResults, void>();
  const exportRequests = new DialogRequests<RecordingMask, RecordingMask>();
  const settings = new SettingsStore(host, (document) => {
    if (document !== "users") return;
    // What the window lists could not be read without the users.
    void users.load();
    void conversations.load();
    void runList.load();
  });
  const layout = new LayoutStore(settings);
  const focusClaim = new FocusClaim();
  const answerTypeAhead = new TypeAhead();
  const nodeTypes = new NodeTypeRegistry(host);
  const editor = new FlowEditor();
  const documents = new OpenDocuments(editor);
  editor.store.subscribe((state, before) => {
    // A page would hide the document that is shown now.
    if (state.key !== before.key) layout.closePage();
  });
  const canvas = new CanvasStore();
  const drafts = new DraftStore(host, editor, documents);
  const overlays = new OverlayStore();
  const viewMotion = new ViewMotion();
  const conversations = new ConversationList(host, editor);
  const conversation = new CurrentConversation(conversations, documents);
  const activeRun = new ActiveRun(viewMotion);
  const breakpoints = new BreakpointStore(editor, settings);
  const runList = new RunList(host);
  // What the window lists belongs to the user before.
  const users = new UserStore(
    host,
    () => {
      conversation.leaveAll();
      void conversations.load();
      void runList.load();
    },
    settings,
  );
  const remoteState = createStore<Remote>(() => ({}));
  const remote =
    host.remote === undefined
      ? undefined
      : new RemoteHost(remoteState, host, host.remote, () => {
          void nodeTypes.load().catch(notify.error);
          void users.load().catch(notify.error);
          void conversations.load();
          void runList.load();
        });
  return {
    host,
    /** The host of another machine that the window belongs to, if it is not this machine's. */
    remote,
    /** What is known of it. Empty in a window of this machine. */
    remoteState,
    /** The files of that host that are to be chosen. */
    fileRequests,
    /** The hosts that this machine works with. */
    hostList: new HostList(host),
    /** Which replies of the host are out of date. */
    queryInvalidation,
    /** The modal question that is open. */
    questions,
    grantRequests,
    billRequests,
    comparisons,
    /** Imported flows beside executions of the originals. */
    importComparisons,
    /** Many runs side by side. */
    matrices,
    /** Results of tests as a table. */
    results,
    /** What is compared on the canvas. */
    canvasComparison: new CanvasComparison(host, editor),
    /** The edits that agents propose. */
    proposals: new ProposalStore(host, editor),
    /** Which names a recording does not show. */
    exportRequests,
    settings,
    users,
    providers: new ProviderStore(host, settings),
    layout,
    zoom: new InterfaceZoom(settings, host),
    shortcuts: new ShortcutStore(settings),
    overlays,
    /** The guide in the window. */
    guide: new GuideStore(() => layout.showGuide()),
    ownTools: new OwnToolStore(host),
    nodeTypes,
    /** The document that is shown and edited. */
    editor,
    /** All open documents, in the order of their tabs. */
    documents,
    /** The drafts that a crash leaves of the documents. */
    drafts,
    /** Opens and saves documents. */
    files: new FlowFiles({
      host,
      editor,
      documents,
      drafts,
      questions,
      showImport: () => overlays.showImportReport(true),
      onSaved: (flow, path) => void waitingRuns.check(flow, path),
    }),
    /** The runs that wait with an earlier version of what was saved. */
    waitingRuns,
    canvas,
    /** The flows that were open last. */
    session: new SessionStore(settings, documents, canvas),
    viewMotion,
    /** The list of conversations. */
    conversations,
    /** The conversation that the next run continues. */
    conversation,
    /** The run that the window shows. */
    activeRun,
    /** How the prompts of the flow will grow, and what a run may cost. */
    forecasts: new FlowForecasts(host, editor, activeRun),
    runList,
    /** The text that is followed through a run. */
    lineage: new LineageStore(host),
    /** Where runs pause. */
    breakpoints,
    /** The expressions that are watched. */
    watches: new WatchStore(editor, settings),
    /** Starts, opens, answers and stops runs. */
    runs: new RunControl({
      host,
      editor,
      documents,
      questions,
      conversation,
      list: runList,
      active: activeRun,
      breakpoints,
      window: {
        showProblems: () => layout.showDockTab("problems"),
        runStarts: () => {
          layout.closePage();
          focusClaim.begin();
        },
        showQuestion: (pause) => {
          if (focusClaim.mayTakeFocus()) layout.goToAnswer(pause);
          else layout.showQuestions();
        },
        awaitAnswer: () => {
          answerTypeAhead.begin(() => answerTypeAhead.end());
          return () => setTimeout(() => answerTypeAhead.end(), QUESTION_APPEARS_MS);
        },
        askGrants: (request) => grantRequests.ask(request),
        askBill: (request) => billRequests.ask(request),
        errorAction: (error) => errorAction(error, { layout, settings, remote }),
      },
    }),
    epochChoice: new EpochChoice(activeRun, editor),
    nodeNames: new NodeNames(editor, nodeTypes, activeRun),
    /** Unsent answers by question, kept until the window closes. */
    answerDrafts: new Map<string, string>(),
    /** What is typed while a question is being opened. */
    answerTypeAhead,
    /** Texts of inspector fields that are not valid yet. */
    fieldDrafts: new FieldDrafts(documents),
  };
}
