import "server-only";
import { and, desc, eq, inArray, isNotNull, lte, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { pinMetrics } from "#db/schema/analytics.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { findLinksInProgress } from "#lib/features/generation/queries.ts";
import { pageOf } from "#lib/features/links/queries.ts";
import { HISTORY_DAYS, PROPOSALS_MAX, VARIANT_CLICKS_MIN } from "./constants.ts";
import { type MeasuredVariant, measuredOf, proposeVariant, recentSpan, type Variant } from "./policy.ts";
import { growthOf, isFresh } from "./queries.ts";
import type { SyncInput, VariantsWire, VariantWire } from "./schema.ts";
import { toVariantWire } from "./serializers.ts";

/** Pages whose pins were clicked the most; more than are shown, since some have newer pins. */
const PAGES_MAX = 100;
/** Of each page, the newest, which decide whether it is due. */
const PINS_PER_PAGE_MAX = 200;

/** Without the part of the page. */
const wholePageOf = (link: SQLWrapper): SQL<string> => sql<string>`split_part(${pageOf(link)}, '#', 1)`;

const findPages = async (ctx: Ctx, links: readonly string[]): Promise<Set<string>> => {
  if (links.length === 0) return new Set();
  const rows = await ctx.db.execute<{ page: string }>(sql`select distinct ${wholePageOf(sql`link`)} as page
    from jsonb_array_elements_text(${JSON.stringify(links)}::jsonb) as link`);
  return new Set(rows.map(({ page }) => page));
};

/** An account's pins with the same link, apart from its spelling and campaign tags. */
interface Family {
  page: string;
  pins: Variant[];
}

const findFamilies = async (ctx: Ctx, accountId: OwnedAccountId): Promise<Family[]> => {
  const range = recentSpan(ctx.now(), HISTORY_DAYS);
  const impressions = growthOf(sql`${pinMetrics.impressions}`, range);
  const outboundClicks = growthOf(sql`${pinMetrics.outboundClicks}`, range);
  const isMeasured = (pinId: SQLWrapper) =>
    and(sql`${pinMetrics.pinId} = ${pinId}`, eq(pinMetrics.state, "ready"), isFresh(ctx));
  // Used twice below, so PostgreSQL works out each pin's page once.
  const linked = ctx.db.$with("linked").as(
    ctx.db
      .select({ id: pins.id, status: pins.status, createdAt: pins.createdAt, page: wholePageOf(pins.link).as("page") })
      .from(pins)
      .where(and(eq(pins.accountId, accountId), ne(pins.status, "deleted"), isNotNull(pins.link))),
  );
  const clicked = ctx.db
    .select({ page: linked.page })
    .from(linked)
    .innerJoin(pinMetrics, isMeasured(linked.id))
    .where(eq(linked.status, "published"))
    .groupBy(linked.page)
    .having(sql`sum(${outboundClicks}) >= ${VARIANT_CLICKS_MIN}`)
    .orderBy(desc(sql`sum(${outboundClicks})`), linked.page)
    .limit(PAGES_MAX);
  const newestFirst = sql`partition by ${linked.page} order by ${linked.createdAt} desc, ${linked.id} desc`;
  const ranked = ctx.db
    .select({ id: linked.id, page: linked.page, place: sql<number>`row_number() over (${newestFirst})`.as("place") })
    .from(linked)
    .where(inArray(linked.page, clicked))
    .as("ranked");
  const rows = await ctx.db
    .with(linked)
    .select({
      ...{ id: pins.id, title: pins.title, keyword: pins.keyword, link: pins.link, boardId: pins.boardId },
      ...{ imageKey: pins.imageKey, status: pins.status, createdAt: pins.createdAt, publishedAt: pins.publishedAt },
      impressions: sql<number | null>`${impressions}::float8`,
      outboundClicks: sql<number | null>`${outboundClicks}::float8`,
      page: ranked.page,
    })
    .from(ranked)
    .innerJoin(pins, eq(pins.id, ranked.id))
    .leftJoin(pinMetrics, isMeasured(pins.id))
    .where(lte(ranked.place, PINS_PER_PAGE_MAX))
    .orderBy(desc(pins.createdAt), desc(pins.id));
  const byPage = Map.groupBy(rows, ({ page }) => page);
  // The cast is safe: pins without a link and deleted ones are left out.
  return [...byPage].map(([page, family]) => ({ page, pins: family as Variant[] }));
};

/** Of one page, the newest. */
const COMPARED_MAX = 6;

const byClicks = (a: MeasuredVariant, b: MeasuredVariant): number => b.outboundClicks - a.outboundClicks;

/**
 * Pins that deserve a new variant, the most clicked first, and links whose published pins can be compared. Nothing is
 * generated. @throws AppError `not_found` for another user's account
 */
export const readVariants = async (ctx: Ctx, { accountId }: SyncInput): Promise<VariantsWire> => {
  const { id } = await requireOwnedAccount(ctx, accountId);
  // Before the families: a pin that is finished in between is in both, and not in neither.
  const inProgress = await findPages(ctx, await findLinksInProgress(ctx, requireUserId(ctx), id));
  const families = await findFamilies(ctx, id);
  const wire = (pin: MeasuredVariant): VariantWire => toVariantWire(ctx, pin);
  const proposals = families
    .filter(({ page }) => !inProgress.has(page))
    .flatMap((family) => proposeVariant(family.pins, ctx.now()) ?? []);
  const compared = families.map((family) => measuredOf(family.pins)).filter((all) => all.length > 1);
  return {
    proposals: proposals
      .toSorted((a, b) => byClicks(a.pin, b.pin))
      .slice(0, PROPOSALS_MAX)
      .map(({ pin, later }) => ({ pin: wire(pin), later: later.map(wire) })),
    compared: compared.slice(0, PROPOSALS_MAX).map((all) => ({
      total: all.length,
      pins: all.slice(-COMPARED_MAX).map(wire),
    })),
  };
};
