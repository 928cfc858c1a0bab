import { Control } from "./Control";
import { FieldFrame, type FieldFrameProps } from "./FieldFrame";
import type { FieldProps } from "./props";

type Props = Omit<FieldProps, "id" | "describedBy" | "invalid"> & Pick<FieldFrameProps, "required" | "problem">;

/** One field: its label, its control, its help text and its errors. */
export function FormField({ required, problem, ...field }: Props) {
  const { spec, label, path, findings } = field;
  return (
    <FieldFrame spec={spec} label={label} path={path} findings={findings} required={required} problem={problem}>
      {(own) => <Control {...field} {...own} />}
    </FieldFrame>
  );
}
