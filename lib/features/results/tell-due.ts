import "server-only";
import { and, eq, gte, isNotNull, type SQL, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { pinFigures } from "#db/schema/results.ts";
import type { Ctx } from "#lib/context.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { GONE_KEPT_MS, REFRESH_SHARE } from "./constants.ts";

const isYounger = (ms: number): SQL =>
  sql`${pinFigures.fetchedAt} > now() - make_interval(secs => ${ms / SECOND_MS}::float8)`;

/** Pins that Pinterest no longer has, and was asked about lately: nothing will bring them back. */
const isKnownGone: SQL = sql`(${pinFigures.state} = 'gone' and ${isYounger(GONE_KEPT_MS)})`;

/** Whose pins; `since`: for a run that was asked for then. */
export interface Due {
  accountId: AccountId;
  since?: Date;
}

/**
 * Published pins of an account whose figures are missing, or old enough to be fetched before they go. What a run has
 * read is not due again for it, `since` it was asked for, however short figures are kept: else it never ended.
 */
export const isDue = (ctx: Ctx, { accountId, since }: Due): SQL | undefined => {
  const freshMs = ctx.settings.analyticsCacheHours * HOUR_MS * REFRESH_SHARE;
  const isOfRun = since ? gte(pinFigures.fetchedAt, since) : sql`false`;
  return and(
    eq(pins.accountId, accountId),
    eq(pins.status, "published"),
    isNotNull(pins.pinterestPinId),
    sql`(${isYounger(freshMs)} or ${isKnownGone} or ${isOfRun}) is not true`,
  );
};
