export type { Args, Call, CommandName, Host, OpeningProgress, Reply } from "./host";
export { HostError } from "./host";
export { QueryInvalidation } from "./query-invalidation";
export { trackRequests } from "./track-requests";
