/** Leaving a run that was looked at. */
export { leaveView as closeRun } from "@/flow/actions";
