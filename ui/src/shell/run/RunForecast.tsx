/** What a run will come to, before it is started: its cost, and prompts that will not fit. */
import { describeForecastCost, describeOutlook, describeUnknown, outlookTone } from "@/run/values/forecast-text";
import { useWorkspace } from "@/workspace/context";
import { useFlowForecast } from "@/workspace/forecast-hooks";

/** How many nodes are named. */
const MAX_NAMED = 4;

/** The sentences; none while nothing is known, or if no node calls a model. */
export function useRunForecast(): string[] {
  const { nodeNames } = useWorkspace();
  const forecast = useFlowForecast();
  if (!forecast || (forecast.nodes.length === 0 && forecast.cost.unknown.length === 0)) return [];
  const tight = forecast.nodes.filter((node) => outlookTone(node.outlook) !== "plain");
  const named = <T,>(items: readonly T[], describe: (item: T) => string) => [
    ...items.slice(0, MAX_NAMED).map(describe),
    ...(items.length > MAX_NAMED ? [`and ${items.length - MAX_NAMED} more`] : []),
  ];
  return [
    describeForecastCost(forecast),
    ...named(forecast.cost.unknown, (one) => `Unknown: ${nodeNames.nameOf(one.node)} ${describeUnknown(one.reason)}`),
    ...named(tight, (node) => `${nodeNames.nameOf(node.node)}: ${describeOutlook(node.outlook)}`),
  ];
}
