import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { PAGE_MAX } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

const WATCH_MS = 3 * SECOND_MS;
/** Between two looks at what is held up, and after a look that failed. */
export const IDLE_MS = 30 * SECOND_MS;
const SOON_MS = 15 * SECOND_MS;
const LATE_MS = 2 * MINUTE_MS;
const LONGEST_MS = 15 * MINUTE_MS;

/** How long until a pin is likely to have changed: soon around its time, slowly for one that is held up. */
const waitMs = ({ scheduled_at }: PostWire, nowMs: number): number => {
  const inMs = Date.parse(scheduled_at ?? "") - nowMs;
  return inMs < -LATE_MS ? IDLE_MS : inMs < SOON_MS ? WATCH_MS : inMs - SOON_MS;
};

/** Which of the posts to ask for next, at most one call's worth, and when. Null: none is on its way. */
export const nextLook = (posts: readonly PostWire[], nowMs: number): { ids: string[]; inMs: number } | null => {
  const waits = posts
    .filter(({ status }) => status === "scheduled")
    .map((post) => ({ id: post.id, inMs: Math.min(LONGEST_MS, waitMs(post, nowMs)) }))
    .sort((a, b) => a.inMs - b.inMs);
  const [first] = waits;
  if (!first) return null;
  const due = waits.filter(({ inMs }) => inMs <= first.inMs + SOON_MS).slice(0, PAGE_MAX);
  return { ids: due.map(({ id }) => id), inMs: first.inMs };
};
