import { sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import type { FullCtx } from "#lib/context.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { WALL_PAGE } from "#lib/features/pins/constants.ts";
import { listPosts } from "#lib/features/pins/library.ts";
import { listPostsInput } from "#lib/features/pins/schema.ts";
import { toPosts } from "#lib/features/pins/serializers.ts";
import { contextOf, type TestHouse } from "#tests/support/context.ts";
import { insertPlayer } from "#tests/support/ledger-player.ts";
import { createRandom } from "#tests/support/random.ts";

/** Pins that the search finds on every wall, however large: spread evenly over it. */
export const FOUND = 40;
export const SEARCHED = "citrus desserts";

const INSERT_MAX = 1_000;
const STATES = ["draft", "draft", "published", "published", "failed"] as const;

/** An account with so many pins, a second apart. */
export interface Wall {
  ctx: FullCtx;
  accountId: string;
  size: number;
}

/** A user with an account and so many pins of all states, titles and keywords by lot. */
export const hangPins = async (house: TestHouse, size: number, seed: number): Promise<Wall> => {
  const job = contextOf(house, { kind: "job", name: "bench" });
  const { userId } = await insertPlayer(job);
  const ctx = contextOf(house, { kind: "user", userId, loginId: job.newId("login"), address: "127.0.0.1" });
  const accountId = ctx.newId("account");
  const [random, now] = [createRandom(seed), ctx.now()];
  const person = { pinterestUserId: accountId, username: "bench", status: "connected" as const };
  await ctx.db.insert(pinterestAccounts).values({ id: accountId, userId, ...person, connectedAt: now });
  const lot = (words: readonly string[]): string => words[random.below(words.length)] ?? "";
  const rows = Array.from({ length: size }, (_, n) => {
    const createdAt = addMs(now, -n * SECOND_MS);
    const isFound = n % (size / FOUND) < 1;
    const keyword = isFound ? SEARCHED : `${lot(ADJECTIVES)} ${lot(THINGS)}`;
    const title = `${lot(ADJECTIVES)} ${lot(THINGS)} for a ${lot(ADJECTIVES)} day, number ${n}`;
    return {
      ...{ id: ctx.newId("pin"), userId, accountId, boardId: "1234567890", source: "ai" as const },
      ...{ title, keyword, description: `${title}. `.repeat(8), altText: title, imageKey: `bench/${n}.jpg` },
      ...{ placeholder: `data:image/webp;base64,${"A".repeat(160)}`, link: `https://example.com/${n}` },
      ...{ status: STATES[random.below(STATES.length)] ?? "draft", createdAt, updatedAt: createdAt },
    };
  });
  for (let from = 0; from < rows.length; from += INSERT_MAX) {
    await ctx.db.insert(pins).values(rows.slice(from, from + INSERT_MAX));
  }
  return { ctx, accountId, size };
};

const ADJECTIVES = ["slow", "quiet", "small", "warm", "winter", "painted", "wild", "old", "bright", "early"];
const THINGS = ["garden", "bedroom", "bread", "cabin", "linen", "quilt", "wreath", "kitchen", "ridge", "balcony"];

/** What the screen asks for at one of its moments, through the product or with a bare query. @returns the pins' ids */
export interface Moment {
  name: string;
  /** It tells how many pins there are. */
  isCounting?: boolean;
  ours(wall: Wall): Promise<string[]>;
  bare(wall: Wall): Promise<string[]>;
}

const ask = async ({ ctx, accountId }: Wall, query: Record<string, string>): Promise<string[]> => {
  const input = listPostsInput.parse({ accountId, limit: String(WALL_PAGE), ...query });
  return toPosts(await listPosts(ctx, input), ctx).posts.map(({ id }) => id);
};

/** The columns of a post, without the join, the checks and the shape that the product gives them. */
const COLUMNS = sql`id, account_id, board_id, title, description, alt_text, link, keyword, image_key, status,
  scheduled_at, published_at, pinterest_pin_id, reason, may_be_published, created_at, source, placeholder, review, template`;

const idsOf = (rows: Iterable<Record<string, unknown>>): string[] => [...rows].map(({ id }) => String(id));

const select = async ({ ctx, accountId }: Wall, where = sql``): Promise<string[]> =>
  idsOf(
    await ctx.db.execute(sql`select ${COLUMNS} from pins
      where account_id = ${accountId} and status <> 'deleted' ${where}
      order by created_at desc, id desc limit ${WALL_PAGE}`),
  );

const countAll = ({ ctx, accountId }: Wall) =>
  ctx.db.execute(sql`select status, count(*) from pins where account_id = ${accountId} group by status`);

/** Where the middle of a wall is, as a position and as the cursor that the product gives out for it. */
const middleOf = async (wall: Wall): Promise<{ cursor: string; at: string; id: string }> => {
  const { ctx, accountId, size } = wall;
  const [row] = await ctx.db.execute<{ id: string; at: string }>(sql`
    select id, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from pins
    where account_id = ${accountId} order by created_at desc, id desc offset ${Math.floor(size / 3)} limit 1`);
  if (!row) throw new Error("The wall is empty.");
  return { ...row, cursor: `${Date.parse(row.at).toString(36)}.${row.id}` };
};

/** The first paint, a page on the way down, and a search. */
export const momentsOf = async (walls: readonly Wall[]): Promise<Moment[]> => {
  const middles = new Map(await Promise.all(walls.map(async (wall) => [wall.size, await middleOf(wall)] as const)));
  const middle = ({ size }: Wall) => {
    const found = middles.get(size);
    if (!found) throw new Error("This wall is not known.");
    return found;
  };
  return [
    {
      name: "first page with counts",
      isCounting: true,
      ours: (wall) => ask(wall, { counts: "true" }),
      bare: async (wall) => (await Promise.all([select(wall), countAll(wall)]))[0],
    },
    {
      name: "a page on the way down",
      ours: (wall) => ask(wall, { cursor: middle(wall).cursor }),
      bare: (wall) => {
        const { at, id } = middle(wall);
        return select(wall, sql`and (created_at, id) < (${at}::timestamptz, ${id})`);
      },
    },
    {
      name: "search",
      ours: (wall) => ask(wall, { q: SEARCHED }),
      bare: (wall) =>
        select(
          wall,
          sql`and lower((title || ' ' || coalesce(keyword, '')) collate "und-x-icu") like ${`%${SEARCHED}%`}`,
        ),
    },
  ];
};
