import { Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { ModelOverride, Price } from "@/bindings";
import { Button, IconButton } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { useSettings, useWorkspace } from "@/workspace/context";
import { type PriceKey, priceOf, readCount, readPrice, withPart } from "./model-override";
import { NumberField } from "./NumberField";
import { TEXTS } from "./texts";

/** Windows and prices of models, in place of those of Plait's tables, and which of them take a prompt only. */
export function ModelOverrides() {
  const overrides = useSettings((settings) => settings.models) ?? {};
  return (
    <>
      {Object.entries(overrides).map(([name, override]) => (
        <OverrideFields key={name} name={name} override={override} />
      ))}
      <AddModel />
      <p className="text-fg-3 text-xs">
        Overrides Plait’s context window and prices of a model, and marks models that take no messages. Enter{" "}
        <span className="font-mono">model</span> or, for a single provider,{" "}
        <span className="font-mono">provider/model</span>.
      </p>
    </>
  );
}

/** Returns the function that sets or (without an override) removes the override of one model. */
function useSetOverride(): (name: string, override: ModelOverride | undefined) => void {
  const { settings } = useWorkspace();
  return (name, override) => {
    const { [name]: _, ...models } = settings.current.models ?? {};
    settings.change({ models: override ? { ...models, [name]: override } : models });
  };
}

const PRICES: { key: PriceKey; label: string }[] = [
  { key: "input", label: TEXTS.input },
  { key: "output", label: TEXTS.output },
  { key: "cachedInput", label: TEXTS.cachedInput },
  { key: "cacheWrite", label: TEXTS.cacheWrite },
];

function OverrideFields({ name, override }: { name: string; override: ModelOverride }) {
  const setOverride = useSetOverride();
  // Part of a price is none yet; it waits here for the rest.
  const [unfinished, setUnfinished] = useState<Partial<Price>>({});
  const parts = override.price ?? unfinished;
  return (
    <fieldset className="relative mb-3 rounded-lg border border-line p-2.5">
      <legend className="px-1 font-medium font-mono text-xs">{name}</legend>
      <NumberField
        id={`${name}-window`}
        label={TEXTS.contextWindowTokens}
        placeholder={TEXTS.default}
        value={override.contextWindow}
        read={readCount}
        problem="Enter a whole number of at least 1."
        onRead={(window) => {
          const { contextWindow: _, ...rest } = override;
          setOverride(name, window === null ? rest : { ...rest, contextWindow: window });
        }}
      />
      <p className="mb-0.5 text-fg-2 text-xs">{TEXTS.usdPerMillionTokens}</p>
      <div className="grid grid-cols-2 gap-x-2">
        {PRICES.map(({ key, label }) => (
          <NumberField
            key={key}
            id={`${name}-${key}`}
            label={label}
            placeholder="—"
            value={parts[key]}
            read={readPrice}
            problem="Enter a number of at least 0."
            onRead={(price) => {
              const { price: _, ...rest } = override;
              const next = withPart(parts, key, price);
              const whole = priceOf(next);
              setUnfinished(next);
              setOverride(name, whole ? { ...rest, price: whole } : rest);
            }}
          />
        ))}
      </div>
      {Object.keys(parts).length > 0 && !priceOf(parts) ? (
        <p className="text-fg-2 text-xs" role="status">
          {TEXTS.takesEffectWhenInput}
        </p>
      ) : null}
      <div className="mt-2 flex items-center justify-between" title={TEXTS.promptOnlyHelp}>
        <label htmlFor={`${name}-prompt-only`} className="text-fg-2 text-xs">
          {TEXTS.promptOnly}
        </label>
        <input
          id={`${name}-prompt-only`}
          type="checkbox"
          className="accent-(--accent-fill)"
          checked={override.promptOnly === true}
          onChange={(event) => {
            const { promptOnly: _, ...rest } = override;
            setOverride(name, event.target.checked ? { ...rest, promptOnly: true } : rest);
          }}
        />
      </div>
      <IconButton
        label={TEXTS.removeSettingsFor(name)}
        className="absolute top-0 right-1 size-6"
        icon={<Trash2 size={13} />}
        onClick={() => setOverride(name, undefined)}
      />
    </fieldset>
  );
}

function AddModel() {
  const workspace = useWorkspace();
  const setOverride = useSetOverride();
  const [name, setName] = useState("");
  const add = (event: FormEvent) => {
    event.preventDefault();
    const wanted = name.trim();
    if (wanted === "") return;
    setOverride(wanted, workspace.settings.current.models?.[wanted] ?? {});
    setName("");
  };
  return (
    <form className="mb-2 flex gap-1.5" onSubmit={add}>
      <input
        className={`${CONTROL} h-[30px] text-sm`}
        aria-label={TEXTS.modelName}
        placeholder={TEXTS.modelName}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" disabled={name.trim() === ""} aria-label={TEXTS.addModel}>
        {TEXTS.add}
      </Button>
    </form>
  );
}
