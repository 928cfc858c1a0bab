/** Every text of this part of the window. */
export const TEXTS = {
  notSet: "Not set",
  unknown: (value: string | number) => `Unknown: ${value}`,
  json: "JSON",
  invalidJsonFlowKeeps: (broken: string | number) => `Invalid JSON: ${broken} The flow keeps the last valid value.`,
  kind: (label: string | number) => `${label}: kind`,
  custom: "Custom",
  required: "Required",
  nameOf: (name: string | number) => `Name of “${name}”`,
  valueOf: (name: string | number) => `Value of ${name}`,
  remove: (name: string | number) => `Remove “${name}”`,
  addEntry: "Add entry",
  fromContext: "From context",
  writes: "writes",
  sends: "sends",
  unknownTool: "Not one of Plait’s own tools",
  offlineSimulator: "offline (simulator)",
} as const;
