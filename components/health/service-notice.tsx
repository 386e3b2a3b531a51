"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Banner } from "#components/ui/banner.tsx";
import { api } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { MINUTE_MS } from "#lib/core/time.ts";

/** Says on every screen that pins wait for a part of the service that is down, and disappears once it is back. */
export function ServiceNotice() {
  const { data } = useQuery({
    queryKey: queryKeys.health,
    queryFn: ({ signal }) => api.get<{ degraded: boolean }>("/api/health/", signal),
    // Without an answer nothing is known; the next one decides.
    meta: { isQuiet: true },
    refetchInterval: MINUTE_MS,
  });
  return (
    <div role="status" className="not-empty:mb-6">
      {data?.degraded && (
        <Banner tone="low">
          Generating and publishing are delayed right now. Your pins are safe and go out as soon as the problem is
          fixed.{" "}
          <Link className="underline underline-offset-3" href="/status">
            View the status
          </Link>
        </Banner>
      )}
    </div>
  );
}
