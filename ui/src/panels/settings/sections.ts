/** The sections of the settings, in their order. */
import type { ComponentType } from "react";
import { CONFIG_SECTIONS } from "@/forms/config-fields";
import { About } from "./About";
import { Appearance } from "./Appearance";
import { ConfigSettings } from "./ConfigSettings";
import { ModelOverrides } from "./ModelOverrides";
import { ProviderSettings } from "./ProviderSettings";
import { RedactionPatterns } from "./RedactionPatterns";
import { ToolSettings } from "./ToolSettings";
import { TEXTS } from "./texts";

/** Stable ids: other parts of the window lead to a section by its id. */
type Section = { id: string; title: string; Component: ComponentType<{ id: string }> };

/** Sections with forms of their own, by the section of the engine's table that they follow. */
const AFTER: Readonly<Record<string, readonly Section[]>> = {
  appearance: [
    { id: "providers", title: TEXTS.modelProviders, Component: ProviderSettings },
    { id: "models", title: TEXTS.models, Component: ModelOverrides },
  ],
  memory: [
    { id: "tools", title: TEXTS.tools, Component: ToolSettings },
    { id: "redaction", title: TEXTS.redaction, Component: RedactionPatterns },
  ],
};

export const SECTIONS: readonly Section[] = [
  ...CONFIG_SECTIONS.flatMap(({ id, title }) => [
    { id, title, Component: id === "appearance" ? Appearance : ConfigSettings },
    ...(AFTER[id] ?? []),
  ]),
  { id: "about", title: TEXTS.about, Component: About },
];
