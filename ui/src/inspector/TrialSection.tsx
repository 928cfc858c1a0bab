import { FlaskConical } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import type { Node, NodeId } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { equalJson } from "@/design/json/equal-json";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { isContainer } from "@/flow/containers/containers";
import { setAt } from "@/flow/edits/edits";
import type { Path } from "@/forms/findings";
import type { HostError } from "@/ipc";
import { useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";
import { usePastRun, useRunHead, useStop } from "@/workspace/run-hooks";
import { TEXTS } from "./texts";

type Config = Record<string, unknown>;

/** The config of a trial while it is written. */
export type TrialDraft = { config: Config; onChange: (path: Path, value: unknown) => void };

type Props = { nodeId: NodeId; node: Node; children: (draft: TrialDraft | undefined) => ReactNode };

/** While the run stands still, another config for this node can be tried in it. The children are the form, of the flow or of the trial. */
export function TrialSection({ nodeId, node, children }: Props) {
  const { editor, runs, overlays } = useWorkspace();
  const stop = useStop()?.number;
  const trial = useRunHead((head) => head.trials?.[nodeId]);
  const isPast = usePastRun() !== undefined;
  const isViewing = useFlow((state) => state.viewing !== undefined);
  const isLoop = useNodeTypes((types) => isContainer(types, node));
  const asked = useStore(overlays.store, (state) => state.trialOf === nodeId);
  const [draft, setDraft] = useState<Config>();
  const [error, setError] = useState<HostError>();
  const config = node.config ?? {};
  const isAccepted = trial !== undefined && equalJson(trial.config, config);
  const canTry = stop !== undefined && !isPast && !isLoop && !node.pin && !node.disabled;
  useEffect(() => {
    if (!asked) return;
    overlays.tryConfig(undefined);
    if (canTry) setDraft((before) => before ?? trial?.config ?? config);
  }, [asked, canTry, overlays, trial, config]);
  const form = useRef<HTMLDivElement>(null);
  const isOpen = draft !== undefined && canTry;
  // The button that was pressed is gone. The next stop of the Tab key is the first field.
  useEffect(() => {
    if (isOpen) form.current?.focus({ preventScroll: true });
  }, [isOpen]);
  if (!canTry && !trial) return children(undefined);
  if (draft && isOpen) {
    const close = () => {
      setDraft(undefined);
      setError(undefined);
    };
    const apply = async () => {
      const refused = await runs.debugger.tryConfig(nodeId, draft);
      if (refused) setError(refused);
      else close();
    };
    const onChange = (path: Path, value: unknown) =>
      setDraft((before) => (setAt(before ?? {}, path, value) ?? {}) as Config);
    return (
      <div data-testid="trial-form">
        <Note text={TEXTS.trialDraft} sticky>
          <Button kind="main" onClick={() => void apply()}>
            {TEXTS.tryInRun}
          </Button>
          <Button onClick={close}>{TEXTS.cancelTrial}</Button>
        </Note>
        {error ? <ErrorMessage error={error} className="mb-2 text-sm" /> : null}
        <div ref={form} tabIndex={-1} className="outline-none [&_*]:scroll-mt-36">
          {children({ config: draft, onChange })}
        </div>
      </div>
    );
  }
  return (
    <>
      <Note text={trial ? (isAccepted ? TEXTS.trialAccepted : TEXTS.trialRuns) : TEXTS.trialHint}>
        {canTry ? (
          <Button onClick={() => setDraft(trial?.config ?? config)}>{trial ? TEXTS.editTrial : TEXTS.tryConfig}</Button>
        ) : null}
        {trial && !isAccepted && !isViewing ? (
          <Button onClick={() => editor.setConfig(nodeId, [], trial.config)}>{TEXTS.acceptTrial}</Button>
        ) : null}
        {trial && canTry ? (
          <Button onClick={() => void runs.debugger.dropTrials(nodeId)}>{TEXTS.dropTrial}</Button>
        ) : null}
      </Note>
      {children(undefined)}
    </>
  );
}

type NoteProps = {
  text: string;
  /** Whether it stays in sight while the form below is scrolled. */
  sticky?: boolean;
  children: ReactNode;
};

function Note({ text, sticky = false, children }: NoteProps) {
  return (
    <section
      className={`mb-3 rounded-md border border-line bg-bg-2 p-2 ${sticky ? "sticky top-0 z-10 shadow-md" : ""}`}
      aria-label={TEXTS.trial}
      data-testid="trial"
    >
      <p className="flex items-start gap-1.5 text-fg-2 text-xs">
        <FlaskConical size={13} aria-hidden className="mt-px shrink-0" />
        {text}
      </p>
      <div className="mt-1.5 flex flex-wrap gap-1.5">{children}</div>
    </section>
  );
}
