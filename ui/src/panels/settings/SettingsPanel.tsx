import { type ReactNode, useEffect, useState } from "react";
import type { AppInfo } from "@/bindings";
import { CONTROL } from "@/design/control";
import { Switch } from "@/design/Switch";
import { useSettings, useWorkspace } from "@/workspace/context";
import { DefaultAgent } from "./DefaultAgent";
import { MemorySummarizer } from "./MemorySummarizer";
import { ModelOverrides } from "./ModelOverrides";
import { ProviderSettings } from "./ProviderSettings";
import { Quotas } from "./Quotas";
import { RedactionPatterns } from "./RedactionPatterns";
import { RunDefaults } from "./RunDefaults";
import { RunLimits } from "./RunLimits";
import { TelemetryExport } from "./TelemetryExport";
import { ToolSettings } from "./ToolSettings";
import { TEXTS } from "./texts";

const THEMES = [
  { id: "system", label: TEXTS.system },
  { id: "light", label: TEXTS.light },
  { id: "dark", label: TEXTS.dark },
] as const;

/** How the window looks and where the model providers are. */
export function SettingsPanel() {
  const workspace = useWorkspace();
  const { theme, reducedMotion } = useSettings((settings) => settings);
  const [info, setInfo] = useState<AppInfo>();
  useEffect(() => {
    let current = true;
    workspace.host.call("app.info", {}).then(
      (reply) => current && setInfo(reply),
      () => undefined, // The rest of the settings work without it.
    );
    return () => {
      current = false;
    };
  }, [workspace]);
  return (
    <div className="h-full overflow-y-auto p-3" data-testid="settings-panel">
      <h2 className="mb-3 font-semibold">{TEXTS.settings}</h2>
      <Group title={TEXTS.appearance}>
        <label htmlFor="setting-theme" className="mb-1 block text-sm">
          {TEXTS.theme}
        </label>
        <select
          id="setting-theme"
          className={`${CONTROL} mb-3 h-[30px]`}
          value={theme}
          data-testid="setting-theme"
          onChange={(event) => workspace.settings.change({ theme: event.target.value as typeof theme })}
        >
          {THEMES.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
        <div className="flex items-center justify-between">
          <label htmlFor="setting-motion" className="text-sm">
            {TEXTS.reduceMotion}
          </label>
          <Switch
            id="setting-motion"
            checked={reducedMotion}
            onChange={(next) => workspace.settings.change({ reducedMotion: next })}
          />
        </div>
      </Group>
      <Group title={TEXTS.modelProviders}>
        <ProviderSettings />
      </Group>
      <Group title={TEXTS.models}>
        <ModelOverrides />
      </Group>
      <Group title={TEXTS.defaultAgent}>
        <DefaultAgent />
      </Group>
      <Group title={TEXTS.runDefaults}>
        <RunDefaults />
      </Group>
      <Group title={TEXTS.runLimits}>
        <RunLimits />
      </Group>
      <Group title={TEXTS.quotas}>
        <Quotas />
      </Group>
      <Group title={TEXTS.memorySummarizer}>
        <MemorySummarizer />
      </Group>
      <Group title={TEXTS.tools}>
        <ToolSettings />
      </Group>
      <Group title={TEXTS.redaction}>
        <RedactionPatterns />
      </Group>
      <Group title={TEXTS.telemetry}>
        <TelemetryExport />
      </Group>
      {info ? (
        <Group title={TEXTS.about}>
          <p className="text-fg-2 text-xs">{TEXTS.plait(info.version)}</p>
          <p className="break-all text-fg-3 text-xs">{TEXTS.dataFolder(info.home)}</p>
        </Group>
      ) : null}
    </div>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mb-5" aria-label={title}>
      <h3 className="mb-2 font-semibold text-2xs text-fg-3 uppercase tracking-[0.05em]">{title}</h3>
      {children}
    </section>
  );
}
