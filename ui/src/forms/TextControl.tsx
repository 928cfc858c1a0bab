import { CONTROL } from "@/design/controls/control";
import { CodeEditor } from "./CodeEditor";
import { useSettle } from "./form-context";
import { ModelControl, ProviderControl } from "./ModelControls";
import { NodeControl, NodeOutputControl } from "./NodeControls";
import { type FieldProps, shared, type TextSpec } from "./props";
import { ToolControl } from "./ToolControl";

/** A text: one line, several, or one of the small languages with an editor of its own. */
export function TextControl(props: FieldProps<TextSpec>) {
  const settle = useSettle();
  const { label, spec, value, path, onChange, readOnly, describedBy, invalid } = props;
  const text = typeof value === "string" ? value : "";
  const placeholder = placeholderOf(spec);
  const change = (next: string) => onChange(path, next === "" && (spec.minLength || !spec.default) ? undefined : next);
  const common = {
    ...shared(props),
    placeholder,
    value: text,
    onBlur: settle,
  };
  switch (spec.widget) {
    case "line":
      return (
        <input
          className={`${CONTROL} h-[30px]`}
          maxLength={spec.maxLength}
          {...common}
          onChange={(event) => change(event.target.value)}
        />
      );
    case "multiline":
      return (
        <textarea
          className={`${CONTROL} field-sizing-content max-h-80 min-h-16 resize-y`}
          rows={3}
          {...common}
          onChange={(event) => change(event.target.value)}
        />
      );
    case "provider":
      return <ProviderControl {...props} />;
    case "model":
      return <ModelControl {...props} />;
    case "tool":
      return <ToolControl {...props} />;
    case "node":
      return <NodeControl {...props} />;
    case "nodeOutput":
      return <NodeOutputControl {...props} />;
    case "markdown":
    case "template":
    case "jq":
    case "cel":
    case "code":
      return (
        <CodeEditor
          language={spec.widget === "code" ? "plain" : spec.widget}
          label={label}
          describedBy={describedBy}
          invalid={invalid}
          placeholder={placeholder}
          value={text}
          readOnly={readOnly}
          onChange={change}
          onBlur={settle}
        />
      );
  }
}

function placeholderOf(spec: TextSpec): string | undefined {
  return typeof spec.default === "string" && spec.default !== "" ? spec.default : spec.example;
}
