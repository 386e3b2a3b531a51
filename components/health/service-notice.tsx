"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { Banner } from "#components/ui/banner.tsx";
import { api } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** A single probe may just have been slow. */
const AGAIN_MS = 5 * SECOND_MS;

/** Says on every screen that pins wait for a part of the service that is down, and disappears once it is back. */
export function ServiceNotice() {
  const client = useQueryClient();
  /** How often in a row it was degraded. */
  const { data = 0 } = useQuery({
    queryKey: queryKeys.health,
    queryFn: async ({ signal }) => {
      const { degraded } = await api.get<{ degraded: boolean }>("/api/health/", signal);
      return degraded ? (client.getQueryData<number>(queryKeys.health) ?? 0) + 1 : 0;
    },
    // Without an answer nothing is known; the next one decides.
    meta: { isQuiet: true },
    refetchInterval: ({ state }) => (state.data === 1 && state.error === null ? AGAIN_MS : MINUTE_MS),
    refetchIntervalInBackground: false,
  });
  return (
    <div role="status" className="not-empty:mb-6">
      {data > 1 && (
        <Banner tone="low">
          Generating and publishing are delayed right now. Your scheduled pins are safe, and we'll publish them once the
          problem is fixed.{" "}
          <Link className="underline underline-offset-3" href="/status">
            View the status
          </Link>
        </Banner>
      )}
    </div>
  );
}
