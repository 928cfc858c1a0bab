import { useState } from "react";
import type { Diagnostic, Limits, Node, NodeId, RetryPolicy } from "@/bindings";
import { Switch } from "@/design/controls/Switch";
import { setAt } from "@/flow/edits/edits";
import type { Spec } from "@/flow/node-types/config-spec";
import { FormField } from "@/forms/FormField";
import type { Path } from "@/forms/findings";
import { InheritedHint } from "@/forms/InheritedHint";
import { type Inherited, InheritedValues, withInherited } from "@/forms/inherited";
import { useWorkspace } from "@/workspace/context";
import { quotaSpec } from "./quota-spec";
import { TEXTS } from "./texts";

type Props = { nodeId: NodeId; node: Node; findings: readonly Diagnostic[]; inherited?: Inherited; readOnly: boolean };

const NONE: Inherited = new Map();

const DEFAULT_RETRY: RetryPolicy = { attempts: 3, backoffMs: 500, maxBackoffMs: 30_000, jitter: 0.5 };

const number = (help: string, more: Partial<Extract<Spec, { kind: "number" }>> = {}): Spec => ({
  kind: "number",
  integer: true,
  optional: false,
  help,
  ...more,
});

const LIMITS: { name: keyof Limits; label: string; spec: Spec }[] = [
  {
    name: "maxEpochs",
    label: TEXTS.maxIterations,
    spec: number("Maximum iterations of the innermost cycle that contains this node.", { min: 1, optional: true }),
  },
  {
    name: "timeoutMs",
    label: TEXTS.timeoutMs,
    spec: number("An execution that takes longer fails with `node.timeout`.", { min: 1, optional: true }),
  },
];

const QUOTA = quotaSpec(
  "What the model calls of this node may use in a run; those of a loop’s body, each time the loop runs.",
);

const RETRY: { name: keyof RetryPolicy; label: string; spec: Spec }[] = [
  { name: "attempts", label: TEXTS.maxAttempts, spec: number("Including the first attempt.", { min: 1, max: 100 }) },
  { name: "backoffMs", label: TEXTS.initialDelayMs, spec: number("Doubles with each further retry.", { min: 0 }) },
  { name: "maxBackoffMs", label: TEXTS.maxDelayMs, spec: number("Upper limit of each delay.", { min: 0 }) },
  {
    name: "jitter",
    label: TEXTS.jitter,
    spec: number("Random share of each delay, from 0 to 1.", { integer: false, min: 0, max: 1 }),
  },
];

/** The node's limits and retry policy. */
export function LimitsSection({ nodeId, node, findings, inherited = NONE, readOnly }: Props) {
  const { editor } = useWorkspace();
  const { limits, retry } = node;
  const changeLimit = ([name]: Path, value: unknown) => {
    const next = { ...limits, [name as string]: value };
    if (value === undefined) delete next[name as keyof Limits];
    editor.setNode(nodeId, { limits: Object.keys(next).length === 0 ? undefined : next }, `limits.${name}`);
  };
  const changeRetry = ([name]: Path, value: unknown) => {
    const fallback = DEFAULT_RETRY[name as keyof RetryPolicy];
    editor.setNode(
      nodeId,
      { retry: { ...DEFAULT_RETRY, ...retry, [name as string]: value ?? fallback } },
      `retry.${name}`,
    );
  };
  const common = { findings: [], readOnly };
  const attempts = retry === undefined ? inherited.get("/retry/attempts") : undefined;
  const wrong = findings.filter((found) => /\/(?:limits|retry)(?:\/|$)/.test(found.pointer));
  // Open where there is something to see. From then on it is the person's: emptying a field must not take it away.
  const [open, setOpen] = useState(limits !== undefined || retry !== undefined || wrong.length > 0);
  return (
    <details className="section" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{TEXTS.limitsAndRetries}</summary>
      <div className="pt-2">
        <InheritedValues values={inherited} prefix="/limits">
          {LIMITS.map(({ name, label, spec }) => (
            <FormField
              key={name}
              label={label}
              spec={withInherited(spec, inherited, `/limits/${name}`)}
              value={limits?.[name]}
              path={[name]}
              onChange={changeLimit}
              {...common}
            />
          ))}
        </InheritedValues>
        <FormField
          label={TEXTS.quota}
          spec={QUOTA}
          value={limits?.quota}
          path={["quota"]}
          onChange={(path, value) => {
            const quota = setAt(limits?.quota, path.slice(1), value);
            changeLimit(["quota"], isEmpty(quota) ? undefined : quota);
          }}
          {...common}
        />
        <div className="mb-3 flex items-center justify-between">
          <label htmlFor={`${nodeId}-retry`} className="font-medium text-sm">
            {TEXTS.retryOnFailure}
          </label>
          <Switch
            id={`${nodeId}-retry`}
            checked={retry !== undefined}
            disabled={readOnly}
            onChange={(on) => {
              editor.setNode(nodeId, { retry: on ? DEFAULT_RETRY : undefined }, "retry");
              editor.sealGesture();
            }}
          />
        </div>
        {attempts ? (
          <div className="-mt-2 mb-3">
            <p className="text-fg-3 text-xs">{TEXTS.maxAttempts}</p>
            <InheritedHint inherited={attempts} />
          </div>
        ) : null}
        {retry
          ? RETRY.map(({ name, label, spec }) => (
              <FormField
                key={name}
                label={label}
                spec={{ ...spec, default: DEFAULT_RETRY[name] }}
                value={retry[name]}
                path={[name]}
                onChange={changeRetry}
                {...common}
              />
            ))
          : null}
      </div>
    </details>
  );
}

/** Whether nothing is left of a quota whose fields were cleared. */
function isEmpty(quota: unknown): boolean {
  return quota === undefined || Object.keys(quota as object).length === 0;
}
