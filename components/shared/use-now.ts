import { useEffect, useState } from "react";
import { MINUTE_MS } from "#lib/core/time.ts";

/** The current time, updated every minute. `first`: what the server rendered with; default: this moment. */
export const useNow = (first?: Date): { now: Date; setNow: (now: Date) => void } => {
  const [now, setNow] = useState(() => first ?? new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return { now, setNow };
};
