import { useBreakpointList } from "./breakpoint-list";

/** How many breakpoints the flow in view has. */
export function BreakpointCount() {
  const { all } = useBreakpointList();
  return all.length === 0 ? null : <span className="text-fg-3">{all.length}</span>;
}
