import type { TreeLimits } from "@/bindings";
import { useSettings, useWorkspace } from "@/workspace/context";
import { readCount } from "./model-override";
import { NumberField } from "./NumberField";
import { TEXTS } from "./texts";

const LIMITS: { key: keyof TreeLimits; label: string; placeholder: string }[] = [
  { key: "maxRuns", label: TEXTS.maxRuns, placeholder: "1,000" },
  { key: "maxModelCalls", label: TEXTS.maxModelCalls, placeholder: "1,000" },
  { key: "maxEvents", label: TEXTS.maxEvents, placeholder: "10,000,000" },
];

/** What a run and all runs below it may use together, where the flow does not say. */
export function RunLimits() {
  const limits = useSettings((settings) => settings.limits) ?? {};
  const { settings } = useWorkspace();
  return (
    <>
      {LIMITS.map(({ key, label, placeholder }) => (
        <NumberField
          key={key}
          id={`limit-${key}`}
          label={label}
          placeholder={placeholder}
          value={limits[key]}
          read={readCount}
          problem="Enter a whole number of at least 1."
          onRead={(limit) => {
            const { [key]: _, ...others } = limits;
            settings.change({ limits: limit === null ? others : { ...others, [key]: limit } });
          }}
        />
      ))}
      <p className="text-fg-3 text-xs">{TEXTS.runLimitsHelp}</p>
    </>
  );
}
