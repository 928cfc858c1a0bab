import { useState } from "react";
import type { ResolvedConfig } from "@/bindings";
import { CONTROL } from "@/design/controls/control";
import { plain } from "@/design/markdown/plain-text";
import { humanize } from "@/flow/node-types/config-spec";
import { useSettings, useWorkspace } from "@/workspace/context";
import { configLabel } from "@/workspace/settings/config-labels";
import { useResolvedConfig } from "@/workspace/settings/resolved-config";
import { changeConfig, readConfig } from "./config-values";
import { TEXTS } from "./texts";

const PREFIX = "/config/";
/** They have a form of their own. */
const AGENT = "agent.";

/** What holds for runs whose flows, loops and nodes leave it open. */
export function RunDefaults() {
  const resolved = useResolvedConfig(undefined, "settings");
  const keys = resolved.filter(
    (one) => !one.key.startsWith(AGENT) && one.layers.some(({ pointer }) => pointer?.startsWith(PREFIX)),
  );
  return (
    <>
      {keys.map((one) => (
        <DefaultField key={one.key} of={one} />
      ))}
      <p className="text-fg-3 text-xs">{TEXTS.runDefaultsHelp}</p>
    </>
  );
}

/** One value, as text. Takes what was typed when it is left. */
function DefaultField({ of: { key, help, schema, layers } }: { of: ResolvedConfig }) {
  const config = useSettings((settings) => settings.config) ?? {};
  const { settings } = useWorkspace();
  const [wrong, setWrong] = useState(false);
  const stored = config[key] === undefined ? "" : String(config[key]);
  const builtIn = layers.find(({ source }) => source.layer === "builtIn")?.value;
  const leave = (text: string) => {
    const value = readConfig(text, schema);
    setWrong(value === undefined);
    if (value !== undefined && value !== (config[key] ?? null)) {
      settings.change({ config: changeConfig(config, key, value ?? undefined) });
    }
  };
  const common = {
    id: `config-${key}`,
    title: plain(help),
    className: `${CONTROL} h-[28px] text-sm`,
    "aria-invalid": wrong || undefined,
  };
  return (
    <div data-setting={key} className="mb-2">
      <label htmlFor={common.id} className="mb-0.5 block text-fg-2 text-xs" title={plain(help)}>
        {configLabel(key)}
      </label>
      {Array.isArray(schema.enum) ? (
        <select {...common} value={stored} onChange={(event) => leave(event.target.value)}>
          <option value="">{TEXTS.builtIn(humanize(String(builtIn ?? "")))}</option>
          {schema.enum.map((choice) => (
            <option key={String(choice)} value={String(choice)}>
              {humanize(String(choice))}
            </option>
          ))}
        </select>
      ) : (
        <input
          // Resets the field to the stored value.
          key={stored}
          {...common}
          placeholder={builtIn === undefined ? TEXTS.notSet : String(builtIn)}
          defaultValue={stored}
          onBlur={(event) => leave(event.target.value)}
        />
      )}
      {wrong ? (
        <p className="mt-0.5 text-bad text-xs" role="status">
          {TEXTS.badValue(boundsOf(schema))}
        </p>
      ) : null}
    </div>
  );
}

function boundsOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: ResolvedConfig["schema"]): string {
  if (exclusiveMinimum !== undefined) return `between ${exclusiveMinimum} and ${exclusiveMaximum}`;
  return Number(maximum) < 2 ** 32 - 1 ? `from ${minimum} to ${maximum}` : `from ${minimum}`;
}
