import type { ReactNode } from "react";

/** What a place shows while there is nothing in it: what belongs there, and how to get it there. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-1.5 p-3 text-fg-2 text-sm">
      <p className="font-semibold text-fg">{title}</p>
      {children}
    </div>
  );
}
