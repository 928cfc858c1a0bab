import { useEffect, useState } from "react";
import { sealGesture } from "@/flow/actions";
import { useFlow } from "@/flow/store";
import { call } from "@/ipc";
import { CONTROL, type FieldProps, ownName } from "./props";
import type { TextSpec } from "./TextControl";

/** One of the providers the host knows. */
export function ProviderControl({
  id,
  label,
  named,
  spec,
  value,
  path,
  onChange,
  readOnly,
  describedBy,
  invalid,
}: FieldProps<TextSpec>) {
  const providers = useProviders();
  const shown = typeof value === "string" ? value : typeof spec.default === "string" ? spec.default : "";
  const listed = shown === "" || providers.includes(shown) ? providers : [shown, ...providers];
  return (
    <select
      id={id}
      className={`${CONTROL} h-[30px]`}
      aria-label={ownName({ label, named })}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      value={shown}
      disabled={readOnly}
      onChange={(event) => onChange(path, event.target.value === (spec.default ?? "") ? undefined : event.target.value)}
    >
      {spec.optional || shown === "" ? <option value="">As in the context</option> : null}
      {listed.map((provider) => (
        <option key={provider} value={provider}>
          {provider === "offline" ? "offline (a simulator, needs no key)" : provider}
        </option>
      ))}
    </select>
  );
}

/** A model's name, with those the flow uses elsewhere as suggestions. */
export function ModelControl({
  id,
  label,
  named,
  spec,
  value,
  path,
  onChange,
  readOnly,
  describedBy,
  invalid,
}: FieldProps<TextSpec>) {
  const nodes = useFlow((state) => state.flow.nodes);
  const used = [
    ...new Set(
      Object.values(nodes).flatMap((node) => (typeof node.config?.model === "string" ? [node.config.model] : [])),
    ),
  ];
  return (
    <>
      <input
        id={id}
        className={`${CONTROL} h-[30px]`}
        aria-label={ownName({ label, named })}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        list={`${id}-models`}
        placeholder={typeof spec.default === "string" ? spec.default : spec.optional ? "As in the context" : undefined}
        value={typeof value === "string" ? value : ""}
        disabled={readOnly}
        onChange={(event) => onChange(path, event.target.value === "" ? undefined : event.target.value)}
        onBlur={sealGesture}
      />
      <datalist id={`${id}-models`}>
        {used.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </>
  );
}

let known: readonly string[] = ["offline"];

function useProviders(): readonly string[] {
  const [providers, setProviders] = useState(known);
  useEffect(() => {
    let current = true;
    call("app.info", {}).then(
      (info) => {
        known = info.providers;
        if (current) setProviders(info.providers);
      },
      () => undefined, // The one that is always there stays offered.
    );
    return () => {
      current = false;
    };
  }, []);
  return providers;
}
