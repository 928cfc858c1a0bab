import { useProblemCount } from "./problem-list";

/** How many problems there are, red when one of them is an error. */
export function ProblemCount() {
  const { total, errors } = useProblemCount();
  return total === 0 ? null : <span className={errors > 0 ? "text-bad" : "text-wait"}>{total}</span>;
}
