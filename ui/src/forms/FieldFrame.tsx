import { type ReactNode, useContext, useId } from "react";
import { Markdown } from "@/design/markdown/Markdown";
import { plain } from "@/design/markdown/plain-text";
import { InlineCode } from "@/design/text/InlineCode";
import type { Spec } from "@/flow/node-types/config-spec";
import { findingsAt } from "./findings";
import { FormContext } from "./form-context";
import { InheritedHint } from "./InheritedHint";
import { useInherited } from "./inherited";
import type { FieldProps } from "./props";
import { TEXTS } from "./texts";

export type FieldFrameProps = Pick<FieldProps, "spec" | "label" | "path" | "findings"> & {
  required?: boolean;
  /** Why the host refuses what was entered. */
  problem?: string;
  /** Renders the control with what ties it to the label and the texts around it. */
  children: (
    control: Required<Pick<FieldProps, "id" | "named" | "invalid">> & Pick<FieldProps, "describedBy">,
  ) => ReactNode;
};

/** What surrounds the control of one field: its label, its help text and its errors. */
export function FieldFrame({ required, problem, spec, label, path, findings, children }: FieldFrameProps) {
  const id = useId();
  const { compact } = useContext(FormContext);
  const wrong = findingsAt(findings, path).map(({ message, hint }) => (hint ? `${message} ${hint}` : message));
  if (problem !== undefined) wrong.push(problem);
  const inherited = useInherited(path);
  const describedBy =
    [inherited && `${id}-inherited`, spec.help && `${id}-help`, wrong.length > 0 && `${id}-wrong`]
      .filter(Boolean)
      .join(" ") || undefined;
  const beside = spec.kind === "boolean";
  return (
    // Positioned, so that the word for screen readers is clipped with its field and never makes the window scroll.
    <div className={compact ? "relative mb-2" : "relative mb-3.5"} data-field={path.join(".")}>
      <div className={beside ? "flex items-center justify-between gap-3" : ""}>
        <label
          htmlFor={hasSingleControl(spec) ? id : undefined}
          id={`${id}-label`}
          className={
            compact ? "mb-0.5 block text-fg-2 text-xs" : "mb-1 flex items-baseline gap-1.5 font-medium text-sm"
          }
          title={compact && spec.help ? plain(spec.help) : undefined}
        >
          {label}
          {required ? (
            <span className="text-bad" title={TEXTS.required}>
              *<span className="sr-only">required</span>
            </span>
          ) : null}
          {spec.optional && !compact ? <span className="font-normal text-2xs text-fg-3">optional</span> : null}
        </label>
        {children({ id, named: true, describedBy, invalid: wrong.length > 0 })}
      </div>
      {inherited ? <InheritedHint id={`${id}-inherited`} inherited={inherited} /> : null}
      {spec.help ? (
        <div id={`${id}-help`} className={compact ? "sr-only" : "mt-1 text-fg-3 text-xs leading-[1.4]"}>
          <Markdown text={spec.help} />
        </div>
      ) : null}
      {wrong.length > 0 ? (
        <div id={`${id}-wrong`} className="mt-1 text-bad text-xs" role="status">
          {wrong.map((text) => (
            <p key={text}>
              <InlineCode text={text} />
            </p>
          ))}
        </div>
      ) : null}
    </div>
  );
}

/** Whether the field has one control that a label can point to; the others carry the label's id themselves. */
function hasSingleControl(spec: Spec): boolean {
  return (
    ["number", "choice", "boolean"].includes(spec.kind) ||
    (spec.kind === "text" && !["markdown", "template", "code"].includes(spec.widget))
  );
}
