export type { Args, CommandName, Host, OpeningProgress, Reply } from "./host";
export { HostError } from "./host";
export { trackRequests } from "./track-requests";
