import { Control } from "./Control";
import { FieldFrame } from "./FieldFrame";
import type { FieldProps } from "./props";

type Props = Omit<FieldProps, "id" | "describedBy" | "invalid"> & { required?: boolean };

/** One field: its label, its control, its help text and its errors. */
export function FormField({ required, ...field }: Props) {
  const { spec, label, path, findings } = field;
  return (
    <FieldFrame spec={spec} label={label} path={path} findings={findings} required={required}>
      {(own) => <Control {...field} {...own} />}
    </FieldFrame>
  );
}
