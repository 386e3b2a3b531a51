import { sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import type { FullCtx } from "#lib/context.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { PIN_PAGE_SIZE } from "#lib/features/pins/constants.ts";
import { listPins } from "#lib/features/pins/library.ts";
import { listPinsInput } from "#lib/features/pins/schema.ts";
import { toPinsWire } from "#lib/features/pins/serializers.ts";
import { contextOf, type TestHarness } from "#tests/support/context.ts";
import { insertLedgerUser } from "#tests/support/ledger-user.ts";
import { createRandom } from "#tests/support/random.ts";

/** Pins that the search finds in every list, spread evenly over it. */
export const FOUND = 40;
const SEARCHED = "citrus desserts";

const INSERT_MAX = 1_000;
const STATES = ["draft", "draft", "published", "published", "failed"] as const;

/** An account with pins a second apart. */
export interface PinSet {
  ctx: FullCtx;
  accountId: string;
  size: number;
}

/** A user with an account and pins with random statuses, titles and keywords. */
export const insertPins = async (harness: TestHarness, size: number, seed: number): Promise<PinSet> => {
  const job = contextOf(harness, { kind: "job", name: "bench" });
  const { userId } = await insertLedgerUser(job);
  const ctx = contextOf(harness, { kind: "user", userId, loginId: job.newId("login"), address: "127.0.0.1" });
  const accountId = ctx.newId("account");
  const [random, now] = [createRandom(seed), ctx.now()];
  const person = { pinterestUserId: accountId, username: "bench", status: "connected" as const };
  await ctx.db.insert(pinterestAccounts).values({ id: accountId, userId, ...person, connectedAt: now });
  const pick = (words: readonly string[]): string => words[random.below(words.length)] ?? "";
  const rows = Array.from({ length: size }, (_, n) => {
    const createdAt = addMs(now, -n * SECOND_MS);
    const isFound = n % (size / FOUND) < 1;
    const keyword = isFound ? SEARCHED : `${pick(ADJECTIVES)} ${pick(THINGS)}`;
    const title = `${pick(ADJECTIVES)} ${pick(THINGS)} for a ${pick(ADJECTIVES)} day, number ${n}`;
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

/** A request of the screen, through the product or as a bare query. @returns the pins' ids */
export interface Scenario {
  name: string;
  /** The response includes the number of pins. */
  isCounting?: boolean;
  ours(pinSet: PinSet): Promise<string[]>;
  bare(pinSet: PinSet): Promise<string[]>;
}

const listIds = async ({ ctx, accountId }: PinSet, query: Record<string, string>): Promise<string[]> => {
  const input = listPinsInput.parse({ accountId, limit: String(PIN_PAGE_SIZE), ...query });
  return toPinsWire(await listPins(ctx, input), ctx).posts.map(({ id }) => id);
};

/** The columns of a pin without joins. */
const COLUMNS = sql`id, account_id, board_id, title, description, alt_text, link, keyword, image_key, status,
  scheduled_at, published_at, pinterest_pin_id, reason, may_be_published, created_at, source, placeholder, review, template`;

const idsOf = (rows: Iterable<Record<string, unknown>>): string[] => [...rows].map(({ id }) => String(id));

const select = async ({ ctx, accountId }: PinSet, where = sql``): Promise<string[]> =>
  idsOf(
    await ctx.db.execute(sql`select ${COLUMNS} from pins
      where account_id = ${accountId} and status <> 'deleted' ${where}
      order by created_at desc, id desc limit ${PIN_PAGE_SIZE}`),
  );

const countAll = ({ ctx, accountId }: PinSet) =>
  ctx.db.execute(sql`select status, count(*) from pins where account_id = ${accountId} group by status`);

/** The middle of a list, as a position and as a cursor. */
const middleOf = async (pinSet: PinSet): Promise<{ cursor: string; at: string; id: string }> => {
  const { ctx, accountId, size } = pinSet;
  const [row] = await ctx.db.execute<{ id: string; at: string }>(sql`
    select id, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from pins
    where account_id = ${accountId} order by created_at desc, id desc offset ${Math.floor(size / 3)} limit 1`);
  if (!row) throw new Error("The list is empty.");
  return { ...row, cursor: `${Date.parse(row.at).toString(36)}.${row.id}` };
};

/** The first page, a later page, and a search. */
export const scenariosOf = async (pinSets: readonly PinSet[]): Promise<Scenario[]> => {
  const middles = new Map(
    await Promise.all(pinSets.map(async (pinSet) => [pinSet.size, await middleOf(pinSet)] as const)),
  );
  const middle = ({ size }: PinSet) => {
    const measured = middles.get(size);
    if (!measured) throw new Error("Unknown list.");
    return measured;
  };
  return [
    {
      name: "first page with counts",
      isCounting: true,
      ours: (pinSet) => listIds(pinSet, { counts: "true" }),
      bare: async (pinSet) => (await Promise.all([select(pinSet), countAll(pinSet)]))[0],
    },
    {
      name: "a later page",
      ours: (pinSet) => listIds(pinSet, { cursor: middle(pinSet).cursor }),
      bare: (pinSet) => {
        const { at, id } = middle(pinSet);
        return select(pinSet, sql`and (created_at, id) < (${at}::timestamptz, ${id})`);
      },
    },
    {
      name: "search",
      ours: (pinSet) => listIds(pinSet, { q: SEARCHED }),
      bare: (pinSet) =>
        select(
          pinSet,
          sql`and lower((title || ' ' || coalesce(keyword, '')) collate "und-x-icu") like ${`%${SEARCHED}%`}`,
        ),
    },
  ];
};
