"use client";

import { useEffect, useState } from "react";
import { DAY_MS, SECOND_MS } from "#lib/core/time.ts";

/**
 * The moment that days are told from: when the page was painted, by the server's clock, then the beginning of each new
 * day in UTC. What was asked for yesterday may be too old today.
 */
export const useUtcDay = (paintedAt: string): Date => {
  const [now, setNow] = useState(() => new Date(paintedAt));
  useEffect(() => {
    const midnight = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS + DAY_MS + SECOND_MS);
    const timer = setTimeout(() => setNow(midnight), midnight.getTime() - now.getTime());
    return () => clearTimeout(timer);
  }, [now]);
  return now;
};
