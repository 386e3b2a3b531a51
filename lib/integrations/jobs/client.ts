import "server-only";
import { Inngest } from "inngest";
import type { JobsPort } from "./port.ts";

interface JobsOptions {
  productSlug: string;
  /** Absent: Inngest Cloud. */
  baseUrl: string | undefined;
  eventKey: string;
  signingKey: string;
}

export const createJobs = (options: JobsOptions): JobsPort => {
  const client = new Inngest({
    id: options.productSlug,
    isDev: false,
    eventKey: options.eventKey,
    signingKey: options.signingKey,
    ...(options.baseUrl && { baseUrl: options.baseUrl }),
  });
  return {
    send: async (events) => {
      if (events.length > 0) await client.send(events.map((event) => ({ ...event })));
    },
  };
};
