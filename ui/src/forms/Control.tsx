import { ChoiceControl } from "./ChoiceControl";
import { CodeControl } from "./CodeControl";
import { EitherControl } from "./EitherControl";
import { ListControl } from "./ListControl";
import { MapControl } from "./MapControl";
import { ObjectControl } from "./ObjectControl";
import type { FieldProps } from "./props";
import { BooleanControl, NumberControl } from "./SimpleControls";
import { TextControl } from "./TextControl";
import { ToolChecklist } from "./ToolChecklist";

export function Control({ spec, ...rest }: FieldProps) {
  switch (spec.kind) {
    case "text":
      return <TextControl {...rest} spec={spec} />;
    case "number":
      return <NumberControl {...rest} spec={spec} />;
    case "boolean":
      return <BooleanControl {...rest} spec={spec} />;
    case "choice":
      return <ChoiceControl {...rest} spec={spec} />;
    case "constant":
      return <code className="text-fg-2">{String(spec.value)}</code>;
    case "list":
      return spec.item.kind === "text" && spec.item.widget === "tool" ? (
        <ToolChecklist {...rest} spec={spec} />
      ) : (
        <ListControl {...rest} spec={spec} nested={Control} />
      );
    case "object":
      return <ObjectControl {...rest} spec={spec} nested={Control} />;
    case "map":
      return <MapControl {...rest} spec={spec} nested={Control} />;
    case "either":
      return <EitherControl {...rest} spec={spec} nested={Control} />;
    case "json":
      return <CodeControl {...rest} spec={spec} />;
  }
}
