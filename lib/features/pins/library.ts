import "server-only";
import { and, asc, count, desc, eq, isNotNull, ne, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf, preparedOnce } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { isId } from "#lib/core/ids.ts";
import { searchWords } from "#lib/core/text.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { findChecks } from "#lib/features/links/queries.ts";
import { type PinFilter, REVIEW_MAX } from "./constants.ts";
import { decodePosition, encodePosition, type PinPosition, SECTIONS, type Section } from "./policy.ts";
import {
  ACCOUNT_COLUMNS,
  type AccountSummary,
  findPinsById,
  findSlides,
  findVideos,
  type ListedPin,
  type OwnedAccountScope,
  ownedPinsWhere,
  PIN_COLUMNS,
  type PinWithAccount,
  requirePinWithAttempts,
} from "./queries.ts";
import type { ListPinsInput, PinCounts, PinDetailsWire, PinIdInput } from "./schema.ts";
import { toAttemptWire, toPinWire, toSlideWire, toVideoWire } from "./serializers.ts";

export interface PinPage {
  account: AccountSummary;
  pins: ListedPin[];
  nextCursor: string | null;
  counts?: PinCounts;
}

const canContain = (section: Section, filter: PinFilter): boolean =>
  section === "scheduled" ? filter === "all" || filter === "scheduled" : section !== "rest" || filter !== "scheduled";

interface ReadOptions {
  input: ListPinsInput;
  words: string[];
  after: PinPosition | null;
}

/** Reads one pin more than `limit`, which shows whether there is another page. */
const readSections = async (ctx: Ctx, { input, words, after }: ReadOptions): Promise<PinWithAccount[]> => {
  const { accountId, status: filter, sort, ids } = input;
  const sections: readonly Section[] = SECTIONS[sort];
  const from = after ? sections.indexOf(after.section) : 0;
  const wanted = input.limit === undefined ? null : input.limit + 1;
  const found: PinWithAccount[] = [];
  for (const section of sections.slice(from)) {
    const limit = wanted === null ? null : wanted - found.length;
    if (!canContain(section, filter) || limit === 0) continue;
    const start = after?.section === section ? after : null;
    found.push(...(await findPins(ctx, accountId, { filter, words, ids, section, after: start, limit })));
  }
  return found;
};

const positionOf = (pin: ListedPin, { sort }: ListPinsInput): PinPosition => {
  const { id } = pin;
  if (sort === "title") return { section: "title", key: pin.title, id };
  if (sort !== "due") return { section: sort, key: pin.createdAt, id };
  return pin.status === "scheduled" && pin.scheduledAt
    ? { section: "scheduled", key: pin.scheduledAt, id }
    : { section: "rest", key: pin.createdAt, id };
};

/** @throws AppError `not_found` for another's account; `invalid` for a cursor of another sort order */
export const listPins = async (ctx: Ctx, input: ListPinsInput): Promise<PinPage> => {
  const { accountId, limit } = input;
  const after = input.cursor === undefined ? null : decodePosition(input.cursor, input.sort);
  if (input.cursor !== undefined && !after) {
    await requireOwnedAccount(ctx, accountId);
    throw new AppError("invalid", { text: "This cursor isn't valid for this list." });
  }
  const words = searchWords(input.q ?? "");
  const [found, counts] = await Promise.all([
    readSections(ctx, { input, words, after }),
    input.counts ? countPins(ctx, accountId, words) : null,
  ]);
  // Without a pin, the account may be another user's.
  const account = found[0]?.account ?? (await requireOwnedAccount(ctx, accountId));
  const pins = limit === undefined ? found : found.slice(0, limit);
  const last = pins.at(-1);
  const nextCursor = last && found.length > pins.length ? encodePosition(positionOf(last, input)) : null;
  return { account, pins, nextCursor, ...(counts && { counts }) };
};

/** Above `REVIEW_MAX`, drafts without a decision come first. A literal status, for the partial index. @throws AppError `not_found` */
export const listDrafts = async (ctx: Ctx, { accountId }: { accountId: string }): Promise<PinPage> => {
  const account = await requireOwnedAccount(ctx, accountId);
  const shown = ctx.db
    .select({ id: pins.id, createdAt: pins.createdAt })
    .from(pins)
    .where(and(eq(pins.accountId, account.id), sql`${pins.status} = 'draft'`))
    .orderBy(isNotNull(pins.review), desc(pins.createdAt), desc(pins.id))
    .limit(REVIEW_MAX)
    .as("shown");
  const rows = await ctx.db.select({ id: shown.id }).from(shown).orderBy(desc(shown.createdAt), desc(shown.id));
  const ids = rows.map(({ id }) => id);
  return { account, pins: await findPinsById(ctx, ids), nextCursor: null };
};

interface PinsRequest {
  filter: PinFilter;
  words: readonly string[];
  ids?: readonly string[] | undefined;
  section: Section;
  after: PinPosition | null;
  limit: number | null;
}

const TITLE = sql`${pins.title} collate "und-x-icu"`;
const NEWEST = [desc(pins.createdAt), desc(pins.id)];
const isOlder = (key: string, id: string): SQL => sql`(${pins.createdAt}, ${pins.id}) < (${key}::timestamptz, ${id})`;

/** Each sort order has an index, so that later pages cost as much as the first. */
const ORDERS: Record<Section, { only?: SQL; by: SQL[]; after: (key: string, id: string) => SQL }> = {
  newest: { by: NEWEST, after: isOlder },
  rest: { only: ne(pins.status, "scheduled"), by: NEWEST, after: isOlder },
  oldest: {
    by: [asc(pins.createdAt), asc(pins.id)],
    after: (key, id) => sql`(${pins.createdAt}, ${pins.id}) > (${key}::timestamptz, ${id})`,
  },
  scheduled: {
    only: eq(pins.status, "scheduled"),
    by: [asc(pins.scheduledAt), asc(pins.id)],
    after: (key, id) => sql`(${pins.scheduledAt}, ${pins.id}) > (${key}::timestamptz, ${id})`,
  },
  title: { by: [asc(TITLE), asc(pins.id)], after: (key, id) => sql`(${TITLE}, ${pins.id}) > (${key}, ${id})` },
};

const toKeyText = ({ key }: PinPosition): string => (typeof key === "string" ? key : key.toISOString());

const selectPins = (db: Ctx["db"], scope: OwnedAccountScope, request: Omit<PinsRequest, "limit">) => {
  const { filter, words, ids, section, after } = request;
  const { only, by, after: comesAfter } = ORDERS[section];
  const hasId = ids && isAnyOf(pins.id, ids);
  return db
    .select({ account: ACCOUNT_COLUMNS, ...PIN_COLUMNS })
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(
      and(
        ownedPinsWhere(scope, filter, words),
        hasId,
        only,
        after ? comesAfter(toKeyText(after), after.id) : undefined,
      ),
    )
    .orderBy(...by);
};

const PLACEHOLDERS = { userId: sql.placeholder("userId"), accountId: sql.placeholder("accountId") };

/** Prepared statements for the most frequent query: the first page, newest first. A null limit means no limit. */
const newest = (filter: PinFilter) =>
  preparedOnce((db) =>
    selectPins(db, PLACEHOLDERS, { filter, words: [], section: "newest", after: null })
      .limit(sql.placeholder("limit"))
      .prepare(`posts_${filter}`),
  );

const FIRST_PAGES = {
  all: newest("all"),
  draft: newest("draft"),
  scheduled: newest("scheduled"),
  published: newest("published"),
  failed: newest("failed"),
} as const satisfies Record<PinFilter, unknown>;

/** The pins of one section; empty for an account that is missing, removed, malformed or another user's. */
const findPins = async (ctx: Ctx, accountId: string, request: PinsRequest): Promise<PinWithAccount[]> => {
  const userId = requireUserId(ctx);
  if (!isId("account", accountId)) return [];
  const { filter, words, ids, section, after, limit } = request;
  const scope = { userId, accountId };
  const isFirstPage = section === "newest" && words.length === 0 && !ids && !after;
  const rows = isFirstPage
    ? FIRST_PAGES[filter](ctx.db).execute({ ...scope, limit })
    : limit === null
      ? selectPins(ctx.db, scope, request)
      : selectPins(ctx.db, scope, request).limit(limit);
  return rows as Promise<PinWithAccount[]>;
};

const countPins = async (ctx: Ctx, accountId: string, words: readonly string[]): Promise<PinCounts> => {
  const counts: PinCounts = { all: 0, draft: 0, scheduled: 0, published: 0, failed: 0 };
  const userId = requireUserId(ctx);
  if (!isId("account", accountId)) return counts;
  const rows = await ctx.db
    .select({ status: pins.status, found: count() })
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(ownedPinsWhere({ userId, accountId }, "all", words))
    .groupBy(pins.status);
  for (const { status, found } of rows) {
    if (status === "deleted") continue;
    counts[status] = found;
    counts.all += found;
  }
  return counts;
};

/** A pin of the actor with its attempt log. @throws AppError `not_found` */
export const readPin = async (ctx: Ctx<"pinterest">, { pinId }: PinIdInput): Promise<PinDetailsWire> => {
  const { pin, account, attempts } = await requirePinWithAttempts(ctx, pinId);
  const [[video], slides] = await Promise.all([
    pin.format === "video" ? findVideos(ctx, [pin.id]) : [],
    pin.format === "carousel" ? findSlides(ctx, [pin.id]) : [],
  ]);
  const checks = await findChecks(ctx, { links: slides.map(({ link }) => link) });
  return {
    post: toPinWire(ctx, pin, account),
    attempts: attempts.map((attempt) => toAttemptWire(ctx, attempt)),
    video: video ? toVideoWire(ctx, video) : null,
    slides: slides.map((slide) => toSlideWire(ctx, slide, pin.status, checks.get(slide.link ?? "") ?? null)),
  };
};
