import { CONTROL } from "@/design/controls/control";
import { blankOf, fits, type Spec } from "@/flow/node-types/config-spec";
import { useStepwise } from "./form-context";
import type { NestingProps } from "./props";
import { TEXTS } from "./texts";

type EitherSpec = Extract<Spec, { kind: "either" }>;

/** One of several shapes: first which, then its own fields. */
export function EitherControl({ spec, value, nested: Nested, ...rest }: NestingProps<EitherSpec>) {
  const { id, label, path, readOnly, describedBy } = rest;
  const onChange = useStepwise(rest.onChange);
  const displayed = value ?? spec.default;
  const index = spec.alternatives.findIndex((one) => fits(one.spec, displayed));
  const chosen = spec.alternatives[index]?.spec;
  return (
    <div className="flex flex-col gap-2">
      <select
        id={`${id}-which`}
        className={`${CONTROL} h-[30px]`}
        aria-label={TEXTS.kind(label)}
        aria-describedby={describedBy}
        value={index}
        disabled={readOnly}
        onChange={(event) => {
          const next = spec.alternatives[Number(event.target.value)];
          onChange(path, next && blankOf(next.spec));
        }}
      >
        {index < 0 || spec.optional ? (
          <option value={-1}>{value === undefined ? TEXTS.notSet : TEXTS.custom}</option>
        ) : null}
        {spec.alternatives.map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: alternatives are fixed and may share a label.
          <option key={at} value={at}>
            {one.label}
          </option>
        ))}
      </select>
      {chosen && chosen.kind !== "constant" && !(chosen.kind === "choice" && chosen.choices.length === 1) ? (
        <Nested {...rest} spec={chosen} value={displayed} />
      ) : null}
      {index < 0 && displayed !== undefined ? (
        <Nested {...rest} spec={{ kind: "json", optional: true }} value={displayed} />
      ) : null}
    </div>
  );
}
