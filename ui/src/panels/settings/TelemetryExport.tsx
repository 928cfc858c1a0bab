import type { TelemetrySettings } from "@/bindings";
import { CONTROL } from "@/design/controls/control";
import { Switch } from "@/design/controls/Switch";
import { useSettings, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

const FIELDS: { key: "endpoint" | "headersVariable"; label: string; placeholder: string }[] = [
  { key: "endpoint", label: TEXTS.telemetryEndpoint, placeholder: "http://127.0.0.1:4318" },
  { key: "headersVariable", label: TEXTS.telemetryHeaders, placeholder: "OTEL_EXPORTER_OTLP_HEADERS" },
];

/** Where the spans of runs are sent, and whether they contain messages. */
export function TelemetryExport() {
  const telemetry = useSettings((settings) => settings.telemetry) ?? {};
  const { settings } = useWorkspace();
  const put = (changes: Partial<TelemetrySettings>) => settings.change({ telemetry: { ...telemetry, ...changes } });
  return (
    <>
      {FIELDS.map(({ key, label, placeholder }) => (
        <div key={key} data-setting={key} className="mb-2">
          <label htmlFor={`telemetry-${key}`} className="mb-0.5 block text-fg-2 text-xs">
            {label}
          </label>
          <input
            // Resets the field to the stored value.
            key={telemetry[key]}
            id={`telemetry-${key}`}
            className={`${CONTROL} h-[28px] font-mono text-xs`}
            placeholder={placeholder}
            defaultValue={telemetry[key] ?? ""}
            onBlur={(event) => {
              const value = event.target.value.trim();
              if (value !== (telemetry[key] ?? "")) put({ [key]: value === "" ? undefined : value });
            }}
          />
        </div>
      ))}
      <div data-setting="content" className="mb-1 flex items-center justify-between">
        <label htmlFor="telemetry-content" className="text-fg-2 text-xs">
          {TEXTS.telemetryContent}
        </label>
        <Switch
          id="telemetry-content"
          checked={telemetry.content === true}
          onChange={(content) => put({ content: content || undefined })}
        />
      </div>
      <p className="text-fg-3 text-xs">{TEXTS.telemetryHelp}</p>
    </>
  );
}
