/** Every text of this part of the window. */
export const TEXTS = {
  showNodeCanvas: "Show node on canvas",
  copyEventAsJson: "Copy event as JSON",
  showRunHere: "Show run at this event",
  eventNumber: (place: number) => `Event ${place}`,
  close: "Close",
  allEvents: "All events",
  noRunYet: "No run yet",
  runFlowSeeEvents: "Run the flow to see its events here.",
  events: "Events",
  filterEventsByType: "Filter events by type or node",
  filterByTypeNode: "Filter by type or node",
  eventKind: "Event kind",
  eventsRun: "Events of the run",
} as const;
