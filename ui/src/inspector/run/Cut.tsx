import type { ReactNode } from "react";

/** Stands for the omitted rows of a list. With `onClick`, a button that shows them. */
export function Cut({
  children,
  onClick,
  expanded,
}: {
  children: ReactNode;
  onClick?: () => void;
  expanded?: boolean;
}) {
  const look = "w-full rounded-lg border border-dashed border-line px-2 py-1 text-center text-fg-3 text-xs";
  return onClick ? (
    <button
      type="button"
      aria-expanded={expanded}
      className={`${look} hover:border-line-2 hover:text-fg`}
      onClick={onClick}
    >
      {children}
    </button>
  ) : (
    <p className={look}>{children}</p>
  );
}
