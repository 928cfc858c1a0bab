/** The class names that all form controls share. */
export const CONTROL =
  "w-full rounded-md border border-line bg-bg px-2 py-1 text-fg outline-none focus:border-accent aria-invalid:border-bad disabled:opacity-60";
