import { CONTROL } from "@/design/controls/control";
import { useStepwise } from "./form-context";
import { type FieldProps, shared, type TextSpec } from "./props";

export type NamedOption = { value: string; label: string };

type Props = FieldProps<TextSpec> & {
  options: readonly NamedOption[];
  /** What the empty choice is called. */
  none: string;
  /** What a value is called that is none of the options. */
  missing: (value: string) => string;
};

/** The name of something, chosen from a list. A name that is not in the list stays until another one is chosen. */
export function NamedChoice({ options, none, missing, ...props }: Props) {
  const { value, path } = props;
  const chosen = typeof value === "string" ? value : "";
  const isMissing = chosen !== "" && !options.some((option) => option.value === chosen);
  const onChange = useStepwise(props.onChange);
  return (
    <select
      {...shared(props)}
      className={`${CONTROL} h-[30px]`}
      value={chosen}
      onChange={(event) => onChange(path, event.target.value === "" ? undefined : event.target.value)}
    >
      <option value="">{none}</option>
      {isMissing ? <option value={chosen}>{missing(chosen)}</option> : null}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
