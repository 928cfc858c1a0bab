/** The form that adds a breakpoint on an edge, on edges of a kind, or for something that happens. */
import { type ReactNode, useId, useState } from "react";
import { useStore } from "zustand";
import type { Breakpoint, EdgeId, Flow, NodeId, PortKind, StopEvent } from "@/bindings";
import { readDecimal } from "@/design/controls/parse-number";
import { Select } from "@/design/controls/Select";
import { Switch } from "@/design/controls/Switch";
import { Dialog, DialogButtons, DialogText, DialogTitle } from "@/design/dialogs/Dialog";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { commentField } from "@/flow/node-types/node-types";
import { HostError } from "@/ipc";
import { mayPauseOn, placeOnEdge } from "@/run/debug/breakpoints";
import { kindWords } from "@/workspace/breakpoints/place-words";
import { TEXTS as PLACES } from "@/workspace/breakpoints/texts";
import { useFlow, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

export function AddBreakpoint() {
  const { overlays } = useWorkspace();
  const open = useStore(overlays.store, (state) => state.breakpointForm);
  const close = () => overlays.showBreakpointForm(false);
  return (
    <Dialog open={open} onClose={close} testId="breakpoint-form" className="flex max-h-[90vh] w-[460px] flex-col">
      {open ? <Form close={close} /> : null}
    </Dialog>
  );
}

type Happening = StopEvent["type"];
/** What a breakpoint can wait for here. */
type Choice = Happening | "edge" | "kind";

const HAPPENINGS = Object.keys(PLACES.events) as Happening[];
const KINDS: readonly PortKind[] = ["context", "data", "tools"];
const SIDES = ["before", "after"] as const;
const NANO_USD = 1_000_000_000;

/** What the person has filled in. */
const EMPTY = {
  choice: "contextChanged" as Choice,
  edge: undefined as EdgeId | undefined,
  kind: "context" as PortKind,
  side: "before" as (typeof SIDES)[number],
  /** Every node if empty. */
  node: "",
  context: "",
  sum: "",
  when: "",
  log: "",
  branch: false,
};

type Draft = typeof EMPTY;
type Problem = { field: "sum" } | { field: "when" | "log" | "place"; error: HostError };

function Form({ close }: { close: () => void }) {
  const { breakpoints, host, editor } = useWorkspace();
  const edges = useEdges();
  const nodes = useNodes();
  const [draft, setDraft] = useState(EMPTY);
  const [problem, setProblem] = useState<Problem>();
  const { choice, edge = edges[0]?.id } = draft;
  const change = (part: Partial<Draft>) => {
    setDraft({ ...draft, ...part });
    setProblem(undefined);
  };
  const add = async () => {
    const { flow, path, key } = editor.state;
    const breakpoint = breakpointOf({ ...draft, edge }, flow);
    if (!breakpoint) return setProblem({ field: "sum" });
    try {
      const named = await host.call("flow.checkBreakpoint", { flow, path, breakpoint });
      if (editor.state.key === key) breakpoints.add(named);
      close();
    } catch (thrown) {
      const error = HostError.from(thrown);
      const { field = "place" } = (error.details ?? {}) as { field?: "when" | "log" };
      setProblem({ field, error });
    }
  };
  const choices = [
    ...HAPPENINGS.map((id) => ({ id, label: PLACES.events[id] })),
    ...(edges.length > 0 ? [{ id: "edge" as const, label: TEXTS.form.onEdge }] : []),
    { id: "kind" as const, label: TEXTS.form.ofKind },
  ];
  return (
    <form
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <div className="px-5 pt-4 pb-3">
        <DialogTitle>{TEXTS.form.title}</DialogTitle>
        <DialogText className="mt-1 text-fg-2 text-sm">{TEXTS.form.hint}</DialogText>
      </div>
      <div className="flex min-h-0 flex-col gap-3 overflow-y-auto border-line border-t px-5 py-3">
        <Choice
          label={TEXTS.form.when}
          testId="breakpoint-choice"
          options={choices}
          value={choice}
          onChange={(choice) => change({ choice })}
        />
        {choice === "contextChanged" ? (
          <TextField
            label={TEXTS.form.context}
            placeholder={TEXTS.form.contextExample}
            value={draft.context}
            onChange={(context) => change({ context })}
          />
        ) : null}
        {choice === "spendingPassed" ? (
          <TextField
            label={TEXTS.form.sum}
            placeholder={TEXTS.form.sumExample}
            value={draft.sum}
            onChange={(sum) => change({ sum })}
            problem={problem?.field === "sum" ? TEXTS.form.sumProblem : undefined}
          />
        ) : null}
        {choice === "edge" ? (
          <Choice
            label={TEXTS.form.edge}
            testId="breakpoint-edge"
            options={edges}
            value={edge ?? ""}
            onChange={(edge) => change({ edge })}
          />
        ) : null}
        {choice === "kind" ? (
          <Choice
            label={TEXTS.form.kind}
            testId="breakpoint-kind"
            options={SIDES.flatMap((side) =>
              KINDS.map((kind) => ({ id: `${side}:${kind}`, label: kindWords(kind, side) })),
            )}
            value={`${draft.side}:${draft.kind}`}
            onChange={(id) => {
              const [side, kind] = id.split(":") as [Draft["side"], PortKind];
              change({ side, kind });
            }}
          />
        ) : null}
        {choice === "edge" ? null : (
          <Choice
            label={TEXTS.form.node}
            testId="breakpoint-node"
            options={[{ id: "", label: PLACES.anyNode }, ...nodes]}
            value={draft.node}
            onChange={(node) => change({ node })}
          />
        )}
        {problem?.field === "place" ? <ErrorMessage error={problem.error} className="text-xs" /> : null}
        <TextField
          label={PLACES.condition}
          placeholder={TEXTS.always}
          hint={PLACES.conditionHint}
          mono
          value={draft.when}
          onChange={(when) => change({ when })}
          problem={problem?.field === "when" ? <ErrorMessage error={problem.error} /> : undefined}
        />
        <TextField
          label={PLACES.logText}
          placeholder={TEXTS.pause(draft.branch ? "branch" : "tree")}
          hint={PLACES.logTextHint}
          mono
          value={draft.log}
          onChange={(log) => change({ log })}
          problem={problem?.field === "log" ? <ErrorMessage error={problem.error} /> : undefined}
        />
        {draft.log.trim() === "" ? (
          <div className="flex items-center justify-between gap-3 text-sm">
            <span className="text-fg-2">{PLACES.branchOnly}</span>
            <Switch label={PLACES.branchOnly} checked={draft.branch} onChange={(branch) => change({ branch })} />
          </div>
        ) : null}
      </div>
      <div className="border-line border-t px-5 py-3">
        {/* Enter in a field adds it. */}
        <button type="submit" hidden />
        <DialogButtons
          actions={[
            { id: "add", label: TEXTS.form.add, kind: "main", testId: "breakpoint-form-add", run: () => void add() },
          ]}
          cancelLabel={TEXTS.form.cancel}
          onCancel={close}
        />
      </div>
    </form>
  );
}

type ChoiceProps<T extends string> = {
  label: string;
  testId: string;
  options: readonly { id: T; label: string }[];
  value: T;
  onChange: (id: T) => void;
};

function Choice<T extends string>({ label, ...props }: ChoiceProps<T>) {
  return (
    <div className="grid grid-cols-[96px_minmax(0,1fr)] items-center gap-3 text-sm">
      <span className="text-fg-2">{label}</span>
      <Select label={label} className="!h-[30px] w-full min-w-0" {...props} />
    </div>
  );
}

type TextProps = {
  label: string;
  placeholder: string;
  hint?: string;
  mono?: boolean;
  value: string;
  onChange: (text: string) => void;
  /** What is wrong with it. */
  problem?: ReactNode;
};

function TextField({ label, placeholder, hint, mono = false, value, onChange, problem }: TextProps) {
  const id = useId();
  return (
    <div className="grid grid-cols-[96px_minmax(0,1fr)] items-center gap-x-3 gap-y-1 text-sm">
      <label htmlFor={id} className="text-fg-2">
        {label}
      </label>
      <input
        id={id}
        className={`h-[30px] min-w-0 rounded-md border bg-bg px-2 outline-none placeholder:text-fg-3 focus:border-accent ${mono ? "font-mono text-xs" : ""} ${problem ? "border-bad" : "border-line"}`}
        placeholder={placeholder}
        title={hint}
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {problem === undefined ? null : (
        <div id={`${id}-problem`} className="col-start-2 text-bad text-xs">
          {problem}
        </div>
      )}
    </div>
  );
}

/** The edges on which runs can pause: a loop has no start of its own, and what comes from a border has no output to name. */
function useEdges(): readonly { id: EdgeId; label: string }[] {
  const { nodeNames, nodeTypes } = useWorkspace();
  const flow = useFlow((state) => state.flow);
  return Object.entries(flow.edges)
    .filter(([, edge]) => mayPauseOn(nodeTypes.all, flow, edge))
    .map(([id, { source, sourceOutput, target, targetInput }]) => ({
      id,
      label: TEXTS.form.edgeChoice(
        `${nodeNames.nameOf(source)} · ${sourceOutput}`,
        `${nodeNames.nameOf(target)} · ${targetInput}`,
      ),
    }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
}

function useNodes(): readonly { id: NodeId; label: string }[] {
  const { nodeNames, nodeTypes } = useWorkspace();
  const flow = useFlow((state) => state.flow);
  return Object.entries(flow.nodes)
    .filter(([, node]) => commentField(nodeTypes.all, node) === undefined)
    .map(([id]) => ({ id, label: nodeNames.nameOf(id) }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
}

/** Without an id, which the check gives it. Nothing without a sum of money where one is needed. */
function breakpointOf(draft: Draft, flow: Flow): Breakpoint | undefined {
  const { choice, kind, side, context, branch } = draft;
  const [node, when, log] = [draft.node, draft.when.trim(), draft.log.trim()];
  const base: Breakpoint = {
    id: "",
    side: "before",
    ...(node !== "" && { node }),
    ...(when !== "" && { when }),
    ...(log !== "" && { log }),
    ...(branch && log === "" && { scope: "branch" as const }),
  };
  switch (choice) {
    case "edge": {
      const edge = flow.edges[draft.edge ?? ""];
      return edge && { ...base, ...placeOnEdge(edge) };
    }
    case "kind":
      return { ...base, side, kind };
    case "contextChanged":
      return { ...base, event: { type: choice, ...(context.trim() !== "" && { context: context.trim() }) } };
    case "spendingPassed": {
      const usd = readDecimal(draft.sum);
      if (usd === undefined || usd < 0) return undefined;
      return { ...base, event: { type: choice, nanoUsd: Math.round(usd * NANO_USD) } };
    }
    default:
      return { ...base, event: { type: choice } };
  }
}
