import type { JobEvent } from "#lib/integrations/jobs/port.ts";

/** Names the trigger of a function so that a typing mistake does not compile. */
export const on = <N extends JobEvent["name"]>(event: N): { event: N } => ({ event });
