import { useContext } from "react";
import { CONTROL } from "@/design/controls/control";
import { InlineCode } from "@/design/text/InlineCode";
import type { Spec } from "@/flow/node-types/config-spec";
import { FormContext, useStepwise } from "./form-context";
import { type FieldProps, shared } from "./props";
import { TEXTS } from "./texts";

type ChoiceSpec = Extract<Spec, { kind: "choice" }>;

/** One of a few fixed values. */
export function ChoiceControl(props: FieldProps<ChoiceSpec>) {
  const { compact } = useContext(FormContext);
  const { spec, value, path } = props;
  const onChange = useStepwise(props.onChange);
  const displayed = value ?? spec.default;
  const index = spec.choices.findIndex((choice) => choice.value === displayed);
  const chosen = spec.choices[index];
  return (
    <>
      <select
        {...shared(props)}
        className={`${CONTROL} h-[30px]`}
        value={index}
        onChange={(event) => {
          const choice = spec.choices[Number(event.target.value)];
          onChange(path, choice?.value === spec.default ? undefined : choice?.value);
        }}
      >
        {index < 0 ? (
          <option value={-1}>
            {value === undefined || value === null ? TEXTS.notSet : TEXTS.unknown(String(value))}
          </option>
        ) : null}
        {index >= 0 && spec.optional && spec.default === undefined ? <option value={-1}>{TEXTS.notSet}</option> : null}
        {spec.choices.map((choice, at) => (
          <option key={String(choice.value)} value={at}>
            {choice.label}
          </option>
        ))}
      </select>
      {chosen?.help && !compact ? (
        <p className="mt-1 text-fg-2 text-xs">
          <InlineCode text={chosen.help} />
        </p>
      ) : null}
    </>
  );
}
