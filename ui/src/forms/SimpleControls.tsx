import { useEffect, useState } from "react";
import { CONTROL } from "@/design/controls/control";
import { readDecimal, readWhole } from "@/design/controls/parse-number";
import { Switch } from "@/design/controls/Switch";
import type { Spec } from "@/flow/node-types/config-spec";
import { useSettle, useStepwise } from "./form-context";
import { type FieldProps, ownName, shared } from "./props";

type NumberSpec = Extract<Spec, { kind: "number" }>;
type BooleanSpec = Extract<Spec, { kind: "boolean" }>;

/** A number. The text stays as typed until it is a number; an empty field goes back to the default. */
export function NumberControl(props: FieldProps<NumberSpec>) {
  const settle = useSettle();
  const { spec, value, path, onChange, invalid } = props;
  const parse = spec.integer ? readWhole : readDecimal;
  const displayed = typeof value === "number" ? String(value) : "";
  const [typed, setTyped] = useState(displayed);
  useEffect(() => {
    setTyped((before) => (parse(before) === value ? before : displayed));
  }, [displayed, value, parse]);
  return (
    <input
      {...shared(props)}
      className={`${CONTROL} max-w-[160px] font-mono`}
      inputMode={spec.integer ? "numeric" : "decimal"}
      aria-invalid={invalid || (typed !== "" && parse(typed) === undefined) || undefined}
      placeholder={placeholderOf(spec)}
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value);
        const next = parse(event.target.value);
        if (event.target.value.trim() === "") onChange(path, undefined);
        else if (next !== undefined) onChange(path, next);
      }}
      onBlur={() => {
        setTyped(displayed);
        settle();
      }}
    />
  );
}

export function BooleanControl({
  id,
  label,
  named,
  spec,
  value,
  path,
  onChange,
  readOnly,
  describedBy,
}: FieldProps<BooleanSpec>) {
  const change = useStepwise(onChange);
  const on = typeof value === "boolean" ? value : spec.default === true;
  return (
    <Switch
      id={id}
      checked={on}
      disabled={readOnly}
      label={ownName({ label, named })}
      describedBy={describedBy}
      onChange={(next) => change(path, next === (spec.default ?? false) ? undefined : next)}
    />
  );
}

function placeholderOf(spec: NumberSpec): string {
  if (typeof spec.default === "number") return String(spec.default);
  if (spec.unset !== undefined) return spec.unset;
  if (spec.min !== undefined && spec.max !== undefined) return `${spec.min} to ${spec.max}`;
  return spec.optional ? "Not set" : "";
}
