import type { Line } from "./ask.ts";

/** One place of the local environment. `probe` is asked for a sign of life; any answer below 500 counts. */
export interface Place {
  /** In the console's own addresses. */
  id: string;
  name: string;
  what: string;
  url: string;
  probe: string;
  /** A page for people stands at `url`. */
  visit: boolean;
  /** Origin that has `/__control`. */
  control?: string;
  /** Origin that has `/v1/runs`. */
  runs?: string;
}

/** A place and whether it answers. */
export interface Sighting extends Place {
  isUp: boolean;
}

/** Asks all places at once. */
export function lookAll(line: Line, places: readonly Place[]): Promise<Sighting[]> {
  return Promise.all(places.map(async (place) => ({ ...place, isUp: await isUp(line, place.probe) })));
}

async function isUp({ deadlineMs }: Line, url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(deadlineMs), redirect: "manual" });
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    // Refused, reset or silent: each of them is what "down" means here.
    return false;
  }
}
