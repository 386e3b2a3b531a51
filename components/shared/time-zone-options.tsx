"use client";

import { useEffect, useState } from "react";

/** 'America/New_York' as 'America/New York'. */
export const zoneLabel = (zone: string): string => zone.replaceAll("_", " ");

/** The options of a time zone select: the chosen zone, then all others. */
export function TimeZoneOptions({ chosen }: { chosen: string | null }) {
  const [all, setAll] = useState<readonly string[]>([]);
  // Set after mounting: the list is too long for the server-rendered page.
  useEffect(() => setAll(Intl.supportedValuesOf("timeZone")), []);
  const zones = [...(chosen ? [chosen] : []), ...all.filter((zone) => zone !== chosen)];
  return zones.map((zone) => (
    <option key={zone} value={zone}>
      {zoneLabel(zone)}
    </option>
  ));
}
