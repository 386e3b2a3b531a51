import "server-only";
import type { linkChecks } from "#db/schema/links.ts";
import type { JobEvent } from "#lib/integrations/jobs/port.ts";
import { HOST_MAX } from "./constants.ts";

type Row = typeof linkChecks.$inferSelect;

/** The event that has an address checked: one for each request, and one for each time the sweep came by. */
export const toCheckEvent = ({
  urlHash,
  host,
  requestedAt,
  sweeps,
}: Pick<Row, "urlHash" | "host" | "requestedAt" | "sweeps">): JobEvent => ({
  name: "links/check.requested",
  id: `link:${urlHash}:${requestedAt.getTime()}:${sweeps}`,
  // Rows of before were written with a host of any length.
  data: { urlHash, host: host.slice(0, HOST_MAX), requestedAt: requestedAt.getTime() },
});
