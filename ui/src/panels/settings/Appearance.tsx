import { CONTROL } from "@/design/controls/control";
import { useSettings, useWorkspace } from "@/workspace/context";
import { ZOOM_STEPS } from "@/workspace/window/interface-zoom";
import { ConfigSettings } from "./ConfigSettings";
import { TEXTS } from "./texts";

/** How the window looks. */
export function Appearance({ id }: { id: string }) {
  return <ConfigSettings id={id} after={{ theme: <InterfaceZoom /> }} />;
}

function InterfaceZoom() {
  const { zoom } = useWorkspace();
  const percent = useSettings(() => zoom.percent);
  return (
    <div data-setting="scale font" className="mb-2">
      <label htmlFor="setting-zoom" className="mb-0.5 block text-fg-2 text-xs">
        {TEXTS.interfaceZoom}
      </label>
      <select
        id="setting-zoom"
        className={`${CONTROL} h-[28px] text-sm`}
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
  );
}
