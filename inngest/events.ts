import type { JobEvent } from "#lib/integrations/jobs/port.ts";

export const on = <N extends JobEvent["name"]>(event: N): { event: N } => ({ event });
