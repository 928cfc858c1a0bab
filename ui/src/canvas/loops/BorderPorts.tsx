import { Handle, Position as Sides } from "@xyflow/react";
import { memo } from "react";
import type { NodeId } from "@/bindings";
import { portTitle, usePortFit } from "@/canvas/connect/PortHandle";
import { type PortMark, usePortMarks } from "@/canvas/connect/port-marks";
import { handleId } from "@/canvas/elements/pulled-ends";
import { type BorderRow, borderHandleBox, borderRows, isQuiet } from "@/canvas/measure/geometry";
import { portsOn, type Side } from "@/flow/connect/ports";
import type { CardData } from "@/workspace/canvas-store";

type Props = { node: NodeId; data: CardData };
type MarkOf = ReturnType<typeof usePortMarks>;

/** The ports on a loop's border: outside the ports for its surroundings, inside the ports for its body. */
export const BorderPorts = memo(function BorderPorts({ node, data }: Props) {
  const markOf = usePortMarks(node);
  return (["in", "out"] as const).flatMap((side) =>
    borderRows(data.ports, side).map((row, index) => (
      <Row
        key={`${side} ${row.outer} ${row.inner}`}
        node={node}
        data={data}
        side={side}
        row={row}
        index={index}
        markOf={markOf}
      />
    )),
  );
});

type RowProps = Props & { side: Side; row: BorderRow; index: number; markOf: MarkOf };

function Row({ node, data, side, row, index, markOf }: RowProps) {
  const other = side === "in" ? "out" : "in";
  const shared = { node, data, row: index };
  return (
    <>
      {row.outer === undefined ? null : (
        <BorderPort {...shared} side={side} name={row.outer} inner={false} named mark={markOf(side, row.outer)} />
      )}
      {row.inner === undefined ? null : (
        // One name is enough for both.
        <BorderPort {...shared} side={other} name={row.inner} inner named={row.inner !== row.outer} mark={undefined} />
      )}
    </>
  );
}

type PortProps = Props & {
  side: Side;
  name: string;
  inner: boolean;
  row: number;
  named: boolean;
  mark: PortMark | undefined;
};

function BorderPort({ node, data, side, name, inner, row, named, mark }: PortProps) {
  const port = portsOn(data.ports, side, inner).find((one) => one.name === name);
  const fit = usePortFit({ node, side, port: name, inner }, port);
  if (!port) return null;
  const { x, y, width, height } = borderHandleBox({ side, inner }, row, port.kind, 0);
  const atLeft = (side === "in") !== inner;
  return (
    <Handle
      id={handleId(name, inner)}
      type={side === "in" ? "target" : "source"}
      position={side === "in" ? Sides.Left : Sides.Right}
      isConnectable={data.known}
      className="port"
      data-testid={`handle-${node}-${inner ? "inner-" : ""}${side}-${name}`}
      data-side={side}
      data-inner={inner || undefined}
      data-kind={port.kind}
      data-breakpoint={mark}
      data-fit={fit}
      data-missing={!data.known || undefined}
      // The border has a row for its error output anyway.
      data-quiet={(side === "in" && isQuiet(side, port, data.unwired)) || undefined}
      data-name={named ? name : ""}
      title={portTitle(port)}
      style={{
        top: y - BORDER,
        width,
        height,
        ...(atLeft ? { left: x - BORDER, right: "auto" } : { left: "auto", right: -x - width - BORDER }),
      }}
    />
  );
}

/** A loop's border width: positions are relative to the inside of it. */
const BORDER = 1;
