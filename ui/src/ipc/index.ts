export type { Args, CommandName, Host, Reply } from "./host";
export { HostError } from "./host";
