import { useState } from "react";
import type { Diagnostic, Limits, Node, NodeId, RetryPolicy } from "@/bindings";
import { Switch } from "@/design/controls/Switch";
import { type Field, type Schema, specOf } from "@/flow/node-types/config-spec";
import { NODE_LIMITS, NODE_RETRY, setOrRemove } from "@/forms/config-fields";
import { FormField } from "@/forms/FormField";
import type { Path } from "@/forms/findings";
import { InheritedHint } from "@/forms/InheritedHint";
import { type Inherited, InheritedValues, withInherited } from "@/forms/inherited";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

type Props = { nodeId: NodeId; node: Node; findings: readonly Diagnostic[]; inherited?: Inherited; readOnly: boolean };

const NONE: Inherited = new Map();

const LIMITS = fieldsOf(NODE_LIMITS);
const RETRY = fieldsOf(NODE_RETRY);

const DEFAULT_RETRY = Object.fromEntries(RETRY.map(({ name, spec }) => [name, spec.default])) as RetryPolicy;

function fieldsOf(schema: Schema): Field[] {
  const spec = specOf(schema);
  return spec.kind === "object" ? spec.fields : [];
}

/** The node's limits and retry policy. */
export function LimitsSection({ nodeId, node, findings, inherited = NONE, readOnly }: Props) {
  const { editor } = useWorkspace();
  const { limits, retry } = node;
  const changeLimit = ([, ...path]: Path, value: unknown) =>
    editor.setNode(nodeId, { limits: setOrRemove(limits, path, value) as Limits | undefined }, `limits.${path[0]}`);
  const changeRetry = ([, name]: Path, value: unknown) => {
    const changed = value ?? DEFAULT_RETRY[name as keyof RetryPolicy];
    editor.setNode(nodeId, { retry: { ...DEFAULT_RETRY, ...retry, [name as string]: changed } }, `retry.${name}`);
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
        <InheritedValues values={inherited} prefix="">
          {LIMITS.map(({ name, label, spec }) => (
            <FormField
              key={name}
              label={label}
              spec={withInherited(spec, inherited, `/limits/${name}`)}
              value={limits?.[name as keyof Limits]}
              path={["limits", name]}
              onChange={changeLimit}
              {...common}
            />
          ))}
        </InheritedValues>
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
            <p className="text-fg-3 text-xs">{RETRY.find(({ name }) => name === "attempts")?.label}</p>
            <InheritedHint inherited={attempts} />
          </div>
        ) : null}
        {retry
          ? RETRY.map(({ name, label, spec }) => (
              <FormField
                key={name}
                label={label}
                spec={spec}
                value={retry[name as keyof RetryPolicy]}
                path={["retry", name]}
                onChange={changeRetry}
                {...common}
              />
            ))
          : null}
      </div>
    </details>
  );
}
