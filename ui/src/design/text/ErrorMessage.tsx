import type { ReactNode } from "react";
import type { Cause } from "@/bindings";
import { InlineCode } from "./InlineCode";

type Props = {
  error: { code: string; message: string; hint?: string; cause?: Cause };
  /** Where the message stands beside a sign of its own, it has the color of text. */
  plain?: boolean;
  /** What follows the code. */
  note?: string;
  className?: string;
  /** What can be done about it, and more about it. */
  children?: ReactNode;
};

/** What went wrong, and what to do about it. Nothing of it is cut: the reason often comes last. */
export function ErrorMessage({ error: { code, message, hint, cause }, plain, note, className, children }: Props) {
  return (
    <div className={`min-w-0 break-words ${className ?? ""}`} role="alert" data-error-code={code}>
      <p className={plain ? "" : "text-bad"} data-error-message>
        <InlineCode text={message} />
      </p>
      {causesOf(cause).map(({ code, message }) => (
        <p key={message} className="mt-0.5 text-fg-2">
          Caused by: <InlineCode text={message} />
          {code ? <span className="font-mono text-2xs text-fg-3"> {code}</span> : null}
        </p>
      ))}
      {hint ? (
        <p className="mt-0.5 text-fg-2">
          <InlineCode text={hint} />
        </p>
      ) : null}
      {children}
      <p className="mt-0.5 font-mono text-2xs text-fg-3">
        {code}
        {note}
      </p>
    </div>
  );
}

/** The causes behind an error, the innermost last. */
function causesOf(cause: Cause | undefined): Cause[] {
  return cause ? [cause, ...causesOf(cause.cause)] : [];
}
