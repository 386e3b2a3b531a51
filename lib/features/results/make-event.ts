import "server-only";
import type { JobEvent } from "#lib/integrations/jobs/port.ts";

/** The event of an asking. */
export const makeEvent = (row: { accountId: string; generation: number; sweeps: number }): JobEvent => ({
  name: "results/gather.requested",
  id: `results:${row.accountId}:${row.generation}:${row.sweeps}`,
  data: { accountId: row.accountId, generation: row.generation, sweeps: row.sweeps },
});
