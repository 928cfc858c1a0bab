import { CircleAlert, TriangleAlert } from "lucide-react";
import { useMemo } from "react";
import type { NodeId } from "@/bindings";
import { Tooltip } from "@/design/controls/Tooltip";
import { InlineCode } from "@/design/text/InlineCode";
import { diagnosticsOf } from "@/flow/check/diagnostics";
import { useFlow } from "@/workspace/context";

type Props = {
  /** The element on the canvas that it is on: a node, or a frame. */
  id: string;
  /** The nodes that are folded into it. */
  inside?: readonly NodeId[];
};

/** The badge of a card with something wrong about its node, or about one of the nodes that are folded into it. */
export function Findings({ id, inside }: Props) {
  const all = useFlow((state) => state.checked.diagnostics);
  const found = useMemo(() => (inside ?? [id]).flatMap((node) => diagnosticsOf(all, node)), [all, id, inside]);
  if (found.length === 0) return null;
  const severity = found.some((one) => one.severity === "error") ? "error" : "warning";
  const Sign = severity === "error" ? CircleAlert : TriangleAlert;
  const messages = found.map((one) => one.message).join(" ");
  return (
    <Tooltip
      label={
        <span className="flex flex-col gap-1">
          {found.slice(0, 4).map((one) => (
            <span key={`${one.code}${one.pointer}${one.message}`}>
              <InlineCode text={one.message} />
              {one.hint ? (
                <span className="text-fg-3">
                  {" "}
                  <InlineCode text={one.hint} />
                </span>
              ) : null}
            </span>
          ))}
          {found.length > 4 ? <span className="text-fg-3">and {found.length - 4} more, see Problems</span> : null}
        </span>
      }
    >
      <span
        className="finding"
        role="img"
        data-severity={severity}
        data-testid={`problem-${id}`}
        aria-label={`${severity}: ${messages}`}
      >
        <Sign size={14} strokeWidth={2.25} aria-hidden />
      </span>
    </Tooltip>
  );
}
