import type { Database } from "#db/client.ts";
import { pins } from "#db/schema/pins.ts";
import { createId, type PinId, type UserId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import type { PinterestControl } from "./pinterest.ts";

/** A published pin to insert into our database and the stand-in. */
export interface PublishedPin {
  title: string;
  keyword: string | null;
  boardId: string;
  publishedAt: Date;
  link?: string | null;
  source?: "ai" | "manual";
  /** The key of a stored image, if pages should show it. */
  imageKey?: string;
}

interface Owner {
  userId: UserId;
  /** `username`: Pinterest's name of the account. */
  account: { id: string; username: string };
}

const ROWS_AT_ONCE = 500;

/**
 * Publishes pins in bulk: 2,000 take about a second. Creates rows without attempts, and matching pins in the stand-in,
 * so that metrics can be synced. `db` may belong to another process. Returns our ids in the same order.
 */
export const seedPublished = async (
  db: Pick<Database, "insert">,
  pinterest: Pick<PinterestControl, "seedPins">,
  { userId, account }: Owner,
  requested: readonly PublishedPin[],
): Promise<PinId[]> => {
  const atPinterest = requested.map(({ title, boardId, link, publishedAt }) => ({
    board_id: boardId,
    title,
    link: link ?? null,
    created_at: publishedAt.toISOString(),
  }));
  const ids = await pinterest.seedPins(account.username, atPinterest);
  const rows = requested.map(({ title, keyword, boardId, publishedAt, ...more }, index) => ({
    id: createId("pin", publishedAt),
    userId,
    accountId: account.id,
    boardId,
    source: more.source ?? ("ai" as const),
    title,
    keyword,
    link: more.link ?? null,
    imageKey: more.imageKey ?? "pins/seeded.jpg",
    status: "published" as const,
    publishedAt,
    pinterestPinId: ids[index] ?? null,
    createdAt: publishedAt,
    updatedAt: publishedAt,
  }));
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    await db.insert(pins).values(rows.slice(at, at + ROWS_AT_ONCE));
  return rows.map(({ id }) => id);
};

const THINGS = ["Shelves", "Curtains", "Lamps", "Rugs", "Mirrors", "Stools", "Baskets", "Vases"] as const;
const KINDS = ["Linen", "Oak", "Copper", "Clay", "Rattan"] as const;

/** The keyword whose pins get more clicks after `pinterest.setClickFactor(WINNER, 3)`, and all forty keywords. */
export const WINNER = "clay lamps";
export const KEYWORDS = KINDS.flatMap((kind) => THINGS.map((thing) => `${kind} ${thing}`.toLowerCase()));
/** Keywords with one new pin each: too early to tell. */
const SMALL_KEYWORDS = KEYWORDS.filter((keyword) => keyword.startsWith("rattan")).slice(0, 5);

/**
 * Pins of forty keywords over the last 88 days, for `seedPublished`; {@link SMALL_KEYWORDS} have one pin each, from the
 * day before yesterday.
 */
export const pinsOfFortyKeywords = ({
  boardIds,
  now,
  count = 2_000,
}: {
  boardIds: readonly [string, ...string[]];
  now: Date;
  count?: number;
}): PublishedPin[] => {
  const others = KEYWORDS.filter((keyword) => !SMALL_KEYWORDS.includes(keyword));
  const few = SMALL_KEYWORDS.map((keyword) => ({ keyword, publishedAt: addMs(now, -2 * DAY_MS) }));
  const many = Array.from({ length: count - few.length }, (_, index) => ({
    keyword: others[index % others.length] ?? WINNER,
    publishedAt: addMs(now, -3 * DAY_MS - Math.floor((index * 85 * DAY_MS) / count) - (index % 17) * HOUR_MS),
  }));
  return [...few, ...many].map(({ keyword, publishedAt }, index) => ({
    title: `${keyword}, number ${index + 1}`,
    keyword,
    boardId: boardIds[index % boardIds.length] ?? boardIds[0],
    publishedAt,
    link: `https://example.com/${keyword.replace(" ", "-")}`,
  }));
};
