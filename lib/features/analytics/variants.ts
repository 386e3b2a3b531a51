import "server-only";
import { and, desc, eq, inArray, ne, sql } from "drizzle-orm";
import { pinMetrics } from "#db/schema/analytics.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { findLinksInProgress } from "#lib/features/generation/queries.ts";
import { HISTORY_DAYS, PROPOSALS_MAX, VARIANT_CLICKS_MIN } from "./constants.ts";
import { type MeasuredVariant, measuredOf, proposeVariant, recentSpan, type Variant } from "./policy.ts";
import { growthOf, isFresh } from "./queries.ts";
import { plainLink, untagged } from "./report.ts";
import type { SyncInput, VariantsWire, VariantWire } from "./schema.ts";
import { toVariantWire } from "./serializers.ts";

/** Links whose pins were clicked the most; more than are shown, since some have newer pins. */
const LINKS_MAX = 100;
const PINS_MAX = 2_000;

const findFamilies = async (ctx: Ctx, accountId: OwnedAccountId): Promise<Variant[][]> => {
  const range = recentSpan(ctx.now(), HISTORY_DAYS);
  const impressions = growthOf(sql`${pinMetrics.impressions}`, range);
  const outboundClicks = growthOf(sql`${pinMetrics.outboundClicks}`, range);
  const isKnown = and(eq(pinMetrics.pinId, pins.id), eq(pinMetrics.state, "ready"), isFresh(ctx));
  const clicked = ctx.db
    .select({ link: untagged })
    .from(pins)
    .innerJoin(pinMetrics, isKnown)
    .where(and(eq(pins.accountId, accountId), eq(pins.status, "published"), sql`${pins.link} is not null`))
    .groupBy(untagged)
    .having(sql`sum(${outboundClicks}) >= ${VARIANT_CLICKS_MIN}`)
    .orderBy(desc(sql`sum(${outboundClicks})`), untagged)
    .limit(LINKS_MAX);
  const rows = await ctx.db
    .select({
      ...{ id: pins.id, title: pins.title, keyword: pins.keyword, link: pins.link, boardId: pins.boardId },
      ...{ imageKey: pins.imageKey, status: pins.status, createdAt: pins.createdAt, publishedAt: pins.publishedAt },
      impressions: sql<number | null>`${impressions}::float8`,
      outboundClicks: sql<number | null>`${outboundClicks}::float8`,
    })
    .from(pins)
    .leftJoin(pinMetrics, isKnown)
    .where(and(eq(pins.accountId, accountId), ne(pins.status, "deleted"), inArray(untagged, clicked)))
    // The newest, which decide whether a link is due.
    .orderBy(desc(pins.createdAt), desc(pins.id))
    .limit(PINS_MAX);
  // The casts are safe: pins without a link and deleted ones are left out.
  return [...Map.groupBy(rows as Variant[], ({ link }) => plainLink(link)).values()];
};

/** Of one link, the newest. */
const COMPARED_MAX = 6;

const byClicks = (a: MeasuredVariant, b: MeasuredVariant): number => b.outboundClicks - a.outboundClicks;

/**
 * Pins that deserve a new variant, the most clicked first, and links whose published pins can be compared. Nothing is
 * generated. @throws AppError `not_found` for another user's account
 */
export const readVariants = async (ctx: Ctx, { accountId }: SyncInput): Promise<VariantsWire> => {
  const { id } = await requireOwnedAccount(ctx, accountId);
  // Before the families: a pin that is finished in between is in both, and not in neither.
  const inProgress = new Set((await findLinksInProgress(ctx, requireUserId(ctx), id)).map(plainLink));
  const families = await findFamilies(ctx, id);
  const wire = (pin: MeasuredVariant): VariantWire => toVariantWire(ctx, pin);
  const proposals = families
    .filter((family) => !family.some(({ link }) => inProgress.has(plainLink(link))))
    .flatMap((family) => proposeVariant(family, ctx.now()) ?? []);
  const compared = families.map(measuredOf).filter((pins) => pins.length > 1);
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
