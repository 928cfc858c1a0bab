/** What model calls may use: per run and conversation where the flow does not say, and per day. */
import { useState } from "react";
import type { DefaultQuotas, OnExceeded, Quota } from "@/bindings";
import { CONTROL } from "@/design/controls/control";
import { useSettings, useWorkspace } from "@/workspace/context";
import { readCount } from "./model-override";
import { NumberField } from "./NumberField";
import { isUsable, readDollars, withField } from "./quota-draft";
import { TEXTS } from "./texts";

const QUOTAS: { key: keyof DefaultQuotas; label: string }[] = [
  { key: "run", label: TEXTS.quotaRun },
  { key: "conversation", label: TEXTS.quotaConversation },
  { key: "day", label: TEXTS.quotaDay },
];

const ACTIONS: { value: OnExceeded; label: string }[] = [
  { value: "stop", label: TEXTS.quotaStop },
  { value: "ask", label: TEXTS.quotaAsk },
  { value: "fallback", label: TEXTS.quotaFallback },
];

export function Quotas() {
  const quotas = useSettings((settings) => settings.quotas) ?? {};
  const { settings } = useWorkspace();
  const save = (key: keyof DefaultQuotas, quota: Quota | undefined) => {
    const { [key]: _, ...others } = quotas;
    settings.change({ quotas: quota ? { ...others, [key]: quota } : others });
  };
  return (
    <>
      {QUOTAS.map(({ key, label }) => (
        <QuotaFields key={key} id={key} title={label} quota={quotas[key]} onSave={(quota) => save(key, quota)} />
      ))}
      <p className="text-fg-3 text-xs">{TEXTS.quotasHelp}</p>
    </>
  );
}

type FieldsProps = { id: string; title: string; quota: Quota | undefined; onSave: (quota?: Quota) => void };

/** A quota is saved when it can be used: until a model is named, a fallback is only a draft. */
function QuotaFields({ id, title, quota, onSave }: FieldsProps) {
  const [draft, setDraft] = useState<Quota>(quota ?? {});
  const stored = JSON.stringify(quota ?? {});
  const [known, setKnown] = useState(stored);
  // What is stored has changed elsewhere, and not to what was just entered here.
  if (stored !== known) {
    setKnown(stored);
    if (stored !== JSON.stringify(draft) && !(stored === "{}" && !isUsable(draft))) setDraft(quota ?? {});
  }
  const change = (next: Quota) => {
    setDraft(next);
    if (next.tokens === undefined && next.usd === undefined) onSave(undefined);
    else if (isUsable(next)) onSave(next);
  };
  const isSet = draft.tokens !== undefined || draft.usd !== undefined;
  return (
    <fieldset data-setting="limit" className="mb-3">
      <legend className="mb-1 font-medium text-sm">{title}</legend>
      <div className="grid grid-cols-2 gap-2">
        <NumberField
          id={`quota-${id}-tokens`}
          label={TEXTS.quotaTokens}
          placeholder={TEXTS.noLimit}
          value={draft.tokens}
          read={readCount}
          problem="Enter a whole number of at least 1."
          onRead={(tokens) => change(withField(draft, "tokens", tokens ?? undefined))}
        />
        <NumberField
          id={`quota-${id}-usd`}
          label={TEXTS.quotaUsd}
          placeholder={TEXTS.noLimit}
          value={draft.usd}
          read={readDollars}
          problem="Enter an amount above 0."
          onRead={(usd) => change(withField(draft, "usd", usd ?? undefined))}
        />
      </div>
      {isSet ? (
        <>
          <label htmlFor={`quota-${id}-action`} className="mb-0.5 block text-fg-2 text-xs">
            {TEXTS.quotaExceeded}
          </label>
          <select
            id={`quota-${id}-action`}
            className={`${CONTROL} mb-2 h-[28px] text-sm`}
            value={draft.onExceeded ?? "stop"}
            onChange={(event) => change(withField(draft, "onExceeded", event.target.value as OnExceeded))}
          >
            {ACTIONS.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </>
      ) : null}
      {isSet && draft.onExceeded === "fallback" ? (
        <div className="grid grid-cols-2 gap-2">
          {(["provider", "model"] as const).map((field) => (
            <div key={field} className="mb-2">
              <label htmlFor={`quota-${id}-${field}`} className="mb-0.5 block text-fg-2 text-xs">
                {field === "provider" ? TEXTS.quotaFallbackProvider : TEXTS.quotaFallbackModel}
              </label>
              <input
                id={`quota-${id}-${field}`}
                className={`${CONTROL} h-[28px] text-sm`}
                placeholder={field === "provider" ? TEXTS.quotaSameProvider : ""}
                key={draft.fallback?.[field] ?? ""}
                defaultValue={draft.fallback?.[field] ?? ""}
                onBlur={(event) => {
                  const { [field]: _, ...others } = draft.fallback ?? { model: "" };
                  const value = event.target.value.trim();
                  const fallback = { model: "", ...others, ...(value !== "" && { [field]: value }) };
                  change({ ...draft, fallback });
                }}
              />
            </div>
          ))}
        </div>
      ) : null}
    </fieldset>
  );
}
