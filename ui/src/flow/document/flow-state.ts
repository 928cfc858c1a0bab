/**
 * The document being edited, and everything that belongs to it: history, selection, what `flow.check` found.
 * Never holds the state of a run, so that a run that streams re-renders no document view.
 */
import type { CheckedFlow, Flow, ImportFlow, ImportReport, RunId } from "@/bindings";
import { FLOW_VERSION } from "@/bindings/constants";
import type { Items } from "@/flow/edits/edits";
import { freshKey } from "@/flow/edits/ids";
import { EMPTY_HISTORY, type History } from "./history";
import { type OuterFlow, withInner } from "./inner-flow";

/** An earlier run's flow, shown read-only in place of the document. */
export type Viewing = {
  run: RunId;
  label: string;
  flow: Flow;
  /** The file it ran from, if it had one. */
  path?: string;
  /** The runs it is inside of, the root first. */
  above?: readonly { run: RunId; label: string }[];
};

export type FlowState = {
  /** The flow that is edited: the document's own, or one inside a node of it. */
  flow: Flow;
  /** The flows around it, the document's own first; absent while that is edited. */
  outer?: readonly OuterFlow[];
  /** Where its file is; absent until it was saved once. */
  path?: string;
  /** The hash of the file when it was last read or written, to detect changes by other programs. */
  hash?: string;
  /** The file cannot be written: saving asks for another place. */
  readOnly: boolean;
  /** The document's name among the autosaved drafts. */
  key: string;
  /** The document's flow as it was last saved. The document is dirty when it is another one. */
  saved: Flow;
  history: History;
  selection: Items;
  /** The latest result of `flow.check` for the displayed flow. */
  checked: CheckedFlow;
  /** Which flow `checked` is about; another than the shown one while a check is under way. */
  checkedFlow?: Flow;
  viewing?: Viewing;
  /** Nobody has edited the document yet: the start page is shown in its place. */
  isStart?: boolean;
  /** The document's selection while a run is viewed. */
  documentSelection?: Items;
  /** What became of the file of another tool that the document was made from. */
  importReport?: ImportReport;
  /** What that file is. */
  importSource?: ImportFlow;
};

export const EMPTY_FLOW: Flow = { version: FLOW_VERSION, name: "", nodes: {}, edges: {}, layout: {} };
export const NOTHING: Items = { nodes: new Set(), edges: new Set() };
export const UNCHECKED: CheckedFlow = { diagnostics: [], ports: {}, contexts: {}, backEdges: [], reads: {} };

/** A state fresh for a document: no history, nothing selected. */
export function documentState(flow: Flow, file: { path?: string; hash?: string; readOnly?: boolean } = {}): FlowState {
  return {
    flow,
    outer: undefined,
    path: file.path,
    hash: file.hash,
    readOnly: file.readOnly ?? false,
    key: freshKey(),
    saved: flow,
    history: EMPTY_HISTORY,
    selection: NOTHING,
    checked: UNCHECKED,
    checkedFlow: undefined,
    viewing: undefined,
    documentSelection: undefined,
    importReport: undefined,
    importSource: undefined,
  };
}

/** A document that the start page is shown in place of. */
export function startState(): FlowState {
  return { ...documentState(EMPTY_FLOW), isStart: true };
}

/** Whether the start page is shown: there is no flow to name, to save or to run. */
export function isStartPage({ isStart = false, viewing }: FlowState): boolean {
  return isStart && !viewing;
}

/** The flow on the canvas: that of the viewed run, or the document. */
export function displayedFlow(state: FlowState): Flow {
  return state.viewing?.flow ?? state.flow;
}

/** The file of the flow on the canvas, if it has one. */
export function displayedPath(state: FlowState): string | undefined {
  return state.viewing ? state.viewing.path : state.path;
}

/** The flow of the whole document, with what was edited inside its nodes. The same object while nothing changes. */
export function documentFlow({ flow, outer = [] }: Pick<FlowState, "flow" | "outer">): Flow {
  return outer.reduceRight((inner, around) => withInner(around, inner), flow);
}

export function isDirty(state: FlowState): boolean {
  return documentFlow(state) !== state.saved;
}

/** The display name of the document. */
export function documentName(state: FlowState): string {
  return documentFlow(state).name || (state.path ? fileName(state.path) : "Untitled flow");
}

export function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}
