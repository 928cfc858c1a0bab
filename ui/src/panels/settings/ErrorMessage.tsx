import type { Fault } from "@/bindings";
import { InlineCode } from "@/design/InlineCode";

/** What went wrong, and what to do about it. */
export function ErrorMessage({ error }: { error: Pick<Fault, "code" | "message" | "hint"> }) {
  return (
    <div className="mt-1.5 break-words text-xs" role="status">
      <p className="text-bad">
        <InlineCode text={error.message} />
      </p>
      {error.hint ? (
        <p className="mt-0.5 text-fg-2">
          <InlineCode text={error.hint} />
        </p>
      ) : null}
      <p className="mt-0.5 font-mono text-2xs text-fg-3">{error.code}</p>
    </div>
  );
}
