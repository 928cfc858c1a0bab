import { useId } from "react";
import { Said } from "@/design/InlineCode";
import { Markdown } from "@/design/Markdown";
import type { Spec } from "@/flow/config-spec";
import { findingsAt } from "../findings";
import { Control } from "./Control";
import type { FieldProps } from "./props";

type Props = Omit<FieldProps, "id" | "describedBy" | "invalid"> & { required?: boolean };

/** One field: its label, its control, what it means, and what is wrong with it. */
export function FormField({ required, ...field }: Props) {
  const id = useId();
  const { spec, label, path, findings } = field;
  const wrong = findingsAt(findings, path);
  const describedBy =
    [spec.help && `${id}-help`, wrong.length > 0 && `${id}-wrong`].filter(Boolean).join(" ") || undefined;
  const beside = spec.kind === "boolean";
  return (
    <div className="mb-3.5" data-field={path.join(".")}>
      <div className={beside ? "flex items-center justify-between gap-3" : ""}>
        <label
          htmlFor={labelled(spec) ? id : undefined}
          id={`${id}-label`}
          className="mb-1 flex items-baseline gap-1.5 font-medium text-sm"
        >
          {label}
          {required ? (
            <span className="text-bad" title="Required">
              *<span className="sr-only">required</span>
            </span>
          ) : null}
          {spec.optional ? <span className="font-normal text-2xs text-fg-3">optional</span> : null}
        </label>
        <Control {...field} id={id} named describedBy={describedBy} invalid={wrong.length > 0} />
      </div>
      {spec.help ? (
        <div id={`${id}-help`} className="mt-1 text-fg-3 text-xs leading-[1.4]">
          <Markdown text={spec.help} />
        </div>
      ) : null}
      {wrong.length > 0 ? (
        <div id={`${id}-wrong`} className="mt-1 text-bad text-xs" role="status">
          {wrong.map((found) => (
            <p key={`${found.code}${found.message}`}>
              <Said text={found.hint ? `${found.message} ${found.hint}` : found.message} />
            </p>
          ))}
        </div>
      ) : null}
    </div>
  );
}

/** Whether the field has one control that a label can point to; the others carry the label's id themselves. */
function labelled(spec: Spec): boolean {
  return (
    ["number", "choice", "boolean"].includes(spec.kind) ||
    (spec.kind === "text" && !["markdown", "template", "code"].includes(spec.widget))
  );
}
