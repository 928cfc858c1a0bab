/** The sections of the settings, in their order. */
import type { ComponentType } from "react";
import { About } from "./About";
import { Appearance } from "./Appearance";
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

/** Stable ids: other parts of the window lead to a section by its id. */
export const SECTIONS: readonly { id: string; title: string; Component: ComponentType }[] = [
  { id: "appearance", title: TEXTS.appearance, Component: Appearance },
  { id: "providers", title: TEXTS.modelProviders, Component: ProviderSettings },
  { id: "models", title: TEXTS.models, Component: ModelOverrides },
  { id: "agent", title: TEXTS.defaultAgent, Component: DefaultAgent },
  { id: "runDefaults", title: TEXTS.runDefaults, Component: RunDefaults },
  { id: "runLimits", title: TEXTS.runLimits, Component: RunLimits },
  { id: "quotas", title: TEXTS.quotas, Component: Quotas },
  { id: "memory", title: TEXTS.memorySummarizer, Component: MemorySummarizer },
  { id: "tools", title: TEXTS.tools, Component: ToolSettings },
  { id: "redaction", title: TEXTS.redaction, Component: RedactionPatterns },
  { id: "telemetry", title: TEXTS.telemetry, Component: TelemetryExport },
  { id: "about", title: TEXTS.about, Component: About },
];
