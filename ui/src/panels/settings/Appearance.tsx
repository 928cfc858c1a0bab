import { CONTROL } from "@/design/controls/control";
import { Switch } from "@/design/controls/Switch";
import { useSettings, useWorkspace } from "@/workspace/context";
import { ZOOM_STEPS } from "@/workspace/window/interface-zoom";
import { TEXTS } from "./texts";

const THEMES = [
  { id: "system", label: TEXTS.system },
  { id: "light", label: TEXTS.light },
  { id: "dark", label: TEXTS.dark },
] as const;

/** How the window looks. */
export function Appearance() {
  const { settings, zoom } = useWorkspace();
  const { theme, reducedMotion } = useSettings((all) => all);
  const percent = useSettings(() => zoom.percent);
  return (
    <>
      <div data-setting="color light dark mode" className="mb-3">
        <label htmlFor="setting-theme" className="mb-1 block text-sm">
          {TEXTS.theme}
        </label>
        <select
          id="setting-theme"
          className={`${CONTROL} h-[30px]`}
          value={theme}
          data-testid="setting-theme"
          onChange={(event) => settings.change({ theme: event.target.value as typeof theme })}
        >
          {THEMES.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <div data-setting="scale font" className="mb-3">
        <label htmlFor="setting-zoom" className="mb-1 block text-sm">
          {TEXTS.interfaceZoom}
        </label>
        <select
          id="setting-zoom"
          className={`${CONTROL} h-[30px]`}
          value={percent}
          data-testid="setting-zoom"
          aria-describedby="setting-zoom-help"
          onChange={(event) => zoom.set(Number(event.target.value))}
        >
          {ZOOM_STEPS.map((step) => (
            <option key={step} value={step}>
              {step} %
            </option>
          ))}
        </select>
        <p id="setting-zoom-help" className="mt-1 text-fg-3 text-xs">
          {TEXTS.interfaceZoomHelp}
        </p>
      </div>
      <div data-setting="animation" className="flex items-center justify-between">
        <label htmlFor="setting-motion" className="text-sm">
          {TEXTS.reduceMotion}
        </label>
        <Switch
          id="setting-motion"
          checked={reducedMotion}
          onChange={(next) => settings.change({ reducedMotion: next })}
        />
      </div>
    </>
  );
}
