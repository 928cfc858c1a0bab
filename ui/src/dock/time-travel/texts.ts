/** Every text of this part of the window. */
export const TEXTS = {
  timeTravel: "Time travel",
  event: "Event",
  position: (event: string, count: string) => `Event ${event} of ${count}`,
  live: "Live",
  now: "Now",
} as const;
