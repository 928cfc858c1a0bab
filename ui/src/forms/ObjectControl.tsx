import { useContext } from "react";
import { setAt } from "@/flow/edits/edits";
import { isUsed, type Spec } from "@/flow/node-types/config-spec";
import { FieldFrame } from "./FieldFrame";
import type { Path } from "./findings";
import { FormContext } from "./form-context";
import type { NestingProps } from "./props";

type ObjectSpec = Extract<Spec, { kind: "object" }>;

/**
 * An object's fields, indented below its label; without a frame at the top of a form. A change removes fields that have
 * no use with it.
 */
export function ObjectControl({ id, spec, value, path, nested: Nested, ...rest }: NestingProps<ObjectSpec>) {
  const { compact } = useContext(FormContext);
  const held = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const onChange = (at: Path, next: unknown) => {
    const changed = setAt(held, at.slice(path.length), next) as Record<string, unknown>;
    const useless = spec.fields.filter((field) => field.name in changed && !isUsed(field, changed, spec.fields));
    for (const { name } of useless) delete changed[name];
    if (useless.length === 0) rest.onChange(at, next);
    else rest.onChange(path, changed);
  };
  const shown = spec.fields.filter(
    (field) => field.spec.kind !== "constant" && (field.name in held || isUsed(field, held, spec.fields)),
  );
  const fields = shown.map((field) => (
    <FieldFrame
      key={field.name}
      label={field.label}
      required={field.required}
      spec={field.spec}
      path={[...path, field.name]}
      findings={rest.findings}
    >
      {(own) => (
        <Nested
          {...own}
          label={field.label}
          spec={field.spec}
          value={held[field.name]}
          path={[...path, field.name]}
          findings={rest.findings}
          onChange={onChange}
          readOnly={rest.readOnly}
        />
      )}
    </FieldFrame>
  ));
  if (path.length === 0) return <>{fields}</>;
  return (
    <fieldset
      id={id}
      aria-label={rest.label}
      className={compact ? "grid grid-cols-2 gap-x-2" : "border-line border-l-2 pl-3"}
    >
      {fields}
    </fieldset>
  );
}
