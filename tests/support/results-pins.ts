import type { Database } from "#db/client.ts";
import { pins } from "#db/schema/pins.ts";
import { createId, type PinId, type UserId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import type { PinterestControl } from "./pinterest.ts";

/** A pin that is to be there as published, in our database and at the stand-in. */
export interface PublishedPin {
  title: string;
  keyword: string | null;
  boardId: string;
  publishedAt: Date;
  link?: string | null;
  source?: "ai" | "manual";
  /** A picture that the storage has, where pages are to show it. */
  imageKey?: string;
}

interface Owner {
  userId: UserId;
  /** `username`: Pinterest's name of the account. */
  account: { id: string; username: string };
}

const ROWS_AT_ONCE = 500;

/**
 * Publishes pins in one stroke: 2,000 take about a second. They are rows of ours, with no receipt, and pins of the
 * stand-in with the same time, so figures of theirs can be fetched. `db` is the product's database, which may run in
 * another process. @returns our ids, in the same order.
 */
export const seedPublished = async (
  db: Pick<Database, "insert">,
  pinterest: Pick<PinterestControl, "seedPins">,
  { userId, account }: Owner,
  wanted: readonly PublishedPin[],
): Promise<PinId[]> => {
  const atPinterest = wanted.map(({ title, boardId, link, publishedAt }) => ({
    board_id: boardId,
    title,
    link: link ?? null,
    created_at: publishedAt.toISOString(),
  }));
  const ids = await pinterest.seedPins(account.username, atPinterest);
  const rows = wanted.map(({ title, keyword, boardId, publishedAt, ...more }, index) => ({
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

/** The keyword whose pins lead to more clicks once `pinterest.plant(WINNER, 3)` was called, and the forty of them all. */
export const WINNER = "clay lamps";
export const KEYWORDS = KINDS.flatMap((kind) => THINGS.map((thing) => `${kind} ${thing}`.toLowerCase()));
/** Keywords with one young pin each: too early to tell. */
export const SMALL_KEYWORDS = KEYWORDS.filter((keyword) => keyword.startsWith("rattan")).slice(0, 5);

/**
 * Pins of forty keywords, published over the last 88 days; {@link SMALL_KEYWORDS} have one pin each, of the day before
 * yesterday. Fit for `seedPublished`.
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
