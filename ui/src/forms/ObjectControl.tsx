import type { Spec } from "@/flow/node-types/config-spec";
import { FieldFrame } from "./FieldFrame";
import type { NestingProps } from "./props";

type ObjectSpec = Extract<Spec, { kind: "object" }>;

/** An object's fields, indented below its label; without a frame at the top of a form. */
export function ObjectControl({ id, spec, value, path, nested: Nested, ...rest }: NestingProps<ObjectSpec>) {
  const held = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const fields = spec.fields
    .filter((field) => field.spec.kind !== "constant")
    .map((field) => (
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
            onChange={rest.onChange}
            readOnly={rest.readOnly}
          />
        )}
      </FieldFrame>
    ));
  if (path.length === 0) return <>{fields}</>;
  return (
    <fieldset id={id} aria-label={rest.label} className="border-line border-l-2 pl-3">
      {fields}
    </fieldset>
  );
}
