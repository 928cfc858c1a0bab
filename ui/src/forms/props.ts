import type { ComponentType } from "react";
import type { Diagnostic } from "@/bindings";
import type { Spec } from "@/flow/node-types/config-spec";
import type { Path } from "./findings";

export type TextSpec = Extract<Spec, { kind: "text" }>;

export type FieldProps<S extends Spec = Spec> = {
  /** The id of its control, which its label points to. */
  id: string;
  label: string;
  /** Whether a `<label>` points to the control. If not, the control has an `aria-label`. */
  named?: boolean;
  spec: S;
  value: unknown;
  path: Path;
  /** All findings about the node; each field picks its own. */
  findings: readonly Diagnostic[];
  /** Sets the value at a path; `undefined` removes it. */
  onChange: (path: Path, value: unknown) => void;
  readOnly: boolean;
  /** The ids of the texts that describe the control. */
  describedBy?: string;
  invalid?: boolean;
};

/** Props of a control that contains other controls. It is given the control to render, so that no file imports itself. */
export type NestingProps<S extends Spec = Spec> = FieldProps<S> & { nested: ComponentType<FieldProps> };

/** The accessible name of a control that no `<label>` points to. */
export function ownName({ label, named }: Pick<FieldProps, "label" | "named">): string | undefined {
  return named ? undefined : label;
}

/** What every control of one element bears: its id, its name, what describes it, and whether it can be used. */
export function shared({ id, label, named, describedBy, invalid, readOnly }: FieldProps) {
  return {
    id,
    "aria-label": ownName({ label, named }),
    "aria-describedby": describedBy,
    "aria-invalid": invalid || undefined,
    disabled: readOnly,
  };
}
