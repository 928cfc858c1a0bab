/** How the prompts of a node will grow, at the bar of its window. */
import { Gauge, TriangleAlert } from "lucide-react";
import type { NodeForecast, NodeId } from "@/bindings";
import { describeBasis, describeGrowth, describeOutlook, outlookTone } from "@/run/values/forecast-text";
import { useForecast } from "@/workspace/run-hooks";
import { TEXTS } from "./texts";

/** The line, if there is a forecast. `detailed` adds the basis of its numbers, for flows without a run. */
export function Forecast({ node, detailed = false }: { node: NodeId; detailed?: boolean }) {
  const forecast = useForecast(node);
  if (!forecast) return null;
  return (
    <div className="@container mt-2" data-testid="forecast">
      <ForecastLine forecast={forecast} />
      {detailed ? <p className="mt-1 break-words text-fg-3 text-xs">{describeBasis(forecast)}</p> : null}
    </div>
  );
}

const TONES = {
  bad: "border-bad/50 bg-bad/10",
  wait: "border-wait/50 bg-wait/10",
  plain: "border-line bg-bg-2",
};

function ForecastLine({ forecast }: { forecast: NodeForecast }) {
  const tone = outlookTone(forecast.outlook);
  const Sign = tone === "plain" ? Gauge : TriangleAlert;
  const color = { bad: "text-bad", wait: "text-wait", plain: "text-fg-3" }[tone];
  return (
    <div className={`flex items-center gap-2 rounded-lg border px-2.5 py-1.5 text-xs ${TONES[tone]}`} data-tone={tone}>
      <Sign size={14} aria-hidden className={`shrink-0 ${color}`} />
      <p className="min-w-0 flex-1 break-words">
        <b className="font-semibold">{describeOutlook(forecast.outlook)}</b>{" "}
        <span className="text-fg-3">{describeGrowth(forecast)}</span>
      </p>
      <Sparkline forecast={forecast} />
    </div>
  );
}

const WIDTH = 96;
const HEIGHT = 24;

/** The prompts by iteration against the window without the reserve. Wide inspectors only. */
function Sparkline({ forecast }: { forecast: NodeForecast }) {
  const { points, window, reserve } = forecast;
  if (points.length < 2) return null;
  const room = Math.max(1, window - reserve);
  const top = Math.max(room, ...points.map((point) => point.tokens));
  const x = (at: number) => (WIDTH * at) / (points.length - 1);
  const y = (tokens: number) => HEIGHT - 1 - ((HEIGHT - 2) * tokens) / top;
  const sent = points.findLastIndex((point) => point.sent);
  const path = (from: number, to: number) =>
    points
      .slice(from, to)
      .map((point, at) => `${at === 0 ? "M" : "L"}${x(from + at).toFixed(1)} ${y(point.tokens).toFixed(1)}`)
      .join("");
  return (
    <svg
      className="@sm:block hidden shrink-0 overflow-visible"
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={TEXTS.forecastChart(points.length)}
    >
      <path d={`M0 ${y(room)}H${WIDTH}`} className="stroke-bad" strokeDasharray="3 3" fill="none" />
      <path d={path(0, sent + 1)} className="stroke-context" strokeWidth={2} fill="none" />
      <path
        d={path(Math.max(0, sent), points.length)}
        className="stroke-context"
        strokeWidth={1.5}
        strokeDasharray="3 3"
        fill="none"
      />
    </svg>
  );
}
