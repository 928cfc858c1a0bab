/** What a forecast says, in words. What it does not know is named, and no number is made up. */
import type { FlowForecast, NodeForecast, Outlook, UnknownReason } from "@/bindings";
import { formatCost, formatCount } from "./format";

/** From this share of the window on, an overflow is near. */
const NEAR_PERCENT = 90;

/** What becomes of the prompts of a node, in a line. */
export function describeOutlook(outlook: Outlook): string {
  switch (outlook.kind) {
    case "fits":
      return outlook.iteration === undefined
        ? `${outlook.percent} % of the window`
        : `At most ${outlook.percent} % at iteration ${outlook.iteration}`;
    case "bounded":
      return `Bounded: stays within ${outlook.percent} %`;
    case "overflows": {
      if (outlook.iteration === undefined) return outlook.fails ? "Does not fit the window" : "Overflows the window";
      const before = outlook.before && `${outlook.before.percent} % at iteration ${outlook.before.iteration}, `;
      const overflow = `${outlook.fails ? "fails" : "overflow"} near ${outlook.iteration}`;
      return before ? before + overflow : overflow.charAt(0).toUpperCase() + overflow.slice(1);
    }
  }
}

/** How serious it is: the prompts will not fit, come close to that, or neither. */
export function outlookTone(outlook: Outlook): "bad" | "wait" | "plain" {
  if (outlook.kind === "overflows") return outlook.fails ? "bad" : "wait";
  return outlook.percent >= NEAR_PERCENT ? "wait" : "plain";
}

/** What stands beside the outlook: the growth, and how many iterations there are. */
export function describeGrowth({ growth, iterationLimit }: NodeForecast): string {
  const parts = [];
  if (growth > 0) parts.push(`${formatCount(growth)} tokens an iteration`);
  if (iterationLimit !== undefined) parts.push(`limit ${formatCount(iterationLimit)}`);
  return parts.join(" · ");
}

const SOURCES = { maxTokens: "the maximum", measured: "as measured", assumed: "assumed" };

/** What the numbers of a node's forecast rest on. */
export function describeBasis(node: NodeForecast): string {
  const parts = [];
  const first = node.points[0];
  if (first) parts.push(`First prompt ${formatCount(first.tokens)} of ${formatCount(node.window)} tokens`);
  if (node.reply) parts.push(`replies of ${formatCount(node.reply.tokens)} tokens (${SOURCES[node.reply.source]})`);
  if (node.nanoUsdPerCall) parts.push(`about ${formatCost({ nanoUsd: node.nanoUsdPerCall })} a call`);
  return parts.join(", ");
}

/** What a run costs, as far as that is known: never a number without its bound. */
export function describeForecastCost({ cost, spent }: FlowForecast): string {
  const unknown = cost.unknown.length > 0 ? `; ${cost.unknown.length} unknown` : "";
  const before = spent ? `Spent ${formatCost(spent)}. ` : "";
  return `${before}At most ${formatCost({ nanoUsd: cost.atMostNanoUsd })}${unknown}`;
}

/** Why a cost is not known. */
export function describeUnknown(reason: UnknownReason): string {
  switch (reason.kind) {
    case "noPrice":
      return `the price of ${reason.model} is not known`;
    case "noMaxTokens":
      return "sets no maximum for its replies";
    case "noLimit":
      return "only a person ends its cycle";
    case "subflow":
      return "runs another flow";
    case "noPrompt":
      return "its prompt depends on values that only a run has";
    case "tooLarge":
      return "the flow is too large to look at all of it";
  }
}
