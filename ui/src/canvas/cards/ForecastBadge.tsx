import { Gauge } from "lucide-react";
import type { NodeId } from "@/bindings";
import { Tooltip } from "@/design/controls/Tooltip";
import { describeGrowth, describeOutlook, outlookTone } from "@/run/values/forecast-text";
import { useForecast } from "@/workspace/run-hooks";

/** The badge of a node with prompts that will not fit the window, or come close to it. */
export function ForecastBadge({ node }: { node: NodeId }) {
  const forecast = useForecast(node);
  const tone = forecast && outlookTone(forecast.outlook);
  if (!forecast || tone === "plain") return null;
  const text = describeOutlook(forecast.outlook);
  return (
    <Tooltip
      label={
        <span className="flex flex-col gap-1">
          <span>{text}</span>
          <span className="text-fg-3">{describeGrowth(forecast)}</span>
        </span>
      }
    >
      <span
        className="finding"
        role="img"
        data-severity={tone === "bad" ? "error" : "warning"}
        data-testid={`forecast-${node}`}
        aria-label={text}
      >
        <Gauge size={14} strokeWidth={2.25} aria-hidden />
      </span>
    </Tooltip>
  );
}
