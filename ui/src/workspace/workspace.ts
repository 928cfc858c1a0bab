/** The state of one window. Everything that outlives a component is created here and handed down from here. */
import { LayoutStore } from "@/workbench/layout";
import { OverlayStore } from "@/workbench/overlays";
import { ProviderStore } from "@/workbench/providers";
import { SettingsStore } from "@/workbench/settings";

export type Workspace = {
  settings: SettingsStore;
  providers: ProviderStore;
  layout: LayoutStore;
  overlays: OverlayStore;
};

export function createWorkspace(): Workspace {
  const settings = new SettingsStore();
  return {
    settings,
    providers: new ProviderStore(settings),
    layout: new LayoutStore(settings),
    overlays: new OverlayStore(),
  };
}
