import type { JobEvent } from "#lib/integrations/jobs/port.ts";

/** Names and data of the events, as the functions' triggers use them. */
export type EventData<N extends JobEvent["name"]> = Extract<JobEvent, { name: N }>["data"];

/** Names the trigger of a function so that a typing mistake does not compile. */
export const on = <N extends JobEvent["name"]>(event: N): { event: N } => ({ event });
