import type { ReactNode } from "react";

/** A part of an inspector tab, with its heading. */
export function Section({ title, trailing, children }: { title: string; trailing?: ReactNode; children: ReactNode }) {
  return (
    <section className="mb-4">
      <h2 className="mb-1.5 flex items-center gap-2 font-semibold text-fg-3 text-xs uppercase tracking-wide">
        {title}
        {trailing ? <span className="ml-auto font-normal normal-case tracking-normal">{trailing}</span> : null}
      </h2>
      {children}
    </section>
  );
}

/** The frame around one value, message or call. */
export function Box({
  head,
  tone = "",
  testid,
  children,
}: {
  head: ReactNode;
  tone?: string;
  testid?: string;
  children: ReactNode;
}) {
  return (
    <div className={`mb-1.5 rounded-lg border border-line bg-bg-2 px-2.5 py-1.5 ${tone}`} data-testid={testid}>
      <div className="flex min-h-6 items-center gap-1.5 text-fg-3 text-xs">{head}</div>
      {children}
    </div>
  );
}
