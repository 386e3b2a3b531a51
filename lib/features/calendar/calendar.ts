import "server-only";
import { and, asc, eq, gte, lt, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import { pinMetrics } from "#db/schema/analytics.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { pinImageUrl } from "#lib/features/pins/image-urls.ts";
import { CALENDAR_PINS_MAX } from "./constants.ts";
import type { CalendarPinWire, CalendarWire, ReadCalendarInput } from "./schema.ts";

const lastOf = (totals: typeof pinMetrics.impressions | typeof pinMetrics.outboundClicks) =>
  sql<number | null>`${totals}[cardinality(${totals})]`;

/** The account's pins whose time is in a range. @throws AppError `not_found` */
export const readCalendar = async (ctx: Ctx, { accountId, from, to }: ReadCalendarInput): Promise<CalendarWire> => {
  const { id } = await requireOwnedAccount(ctx, accountId);
  const within = (status: CalendarPinWire["status"], at: typeof pins.scheduledAt | typeof pins.publishedAt) =>
    ctx.db
      .select({
        id: pins.id,
        title: pins.title,
        imageKey: pins.imageKey,
        status: pins.status,
        format: pins.format,
        at: sql<Date>`${at}`.mapWith(at).as("at"),
        boardId: pins.boardId,
        reason: pins.reason,
        impressions: lastOf(pinMetrics.impressions).as("impressions"),
        outboundClicks: lastOf(pinMetrics.outboundClicks).as("outbound_clicks"),
      })
      .from(pins)
      .leftJoin(pinMetrics, eq(pinMetrics.pinId, pins.id))
      // The literal status matches the partial indexes.
      .where(and(eq(pins.accountId, id), sql`${pins.status} = ${sql.raw(`'${status}'`)}`, gte(at, from), lt(at, to)));
  const rows = await unionAll(
    within("scheduled", pins.scheduledAt),
    within("published", pins.publishedAt),
    within("failed", pins.scheduledAt),
  )
    .orderBy(asc(sql`at`), asc(sql`id`))
    .limit(CALENDAR_PINS_MAX + 1);
  const posts = rows.slice(0, CALENDAR_PINS_MAX).map(({ imageKey, status, at, boardId, outboundClicks, ...pin }) => ({
    ...pin,
    status: status as CalendarPinWire["status"],
    image_url: pinImageUrl(ctx, { imageKey, status }),
    at: at.toISOString(),
    board_id: boardId,
    outbound_clicks: outboundClicks,
  }));
  return { posts, has_more: rows.length > CALENDAR_PINS_MAX };
};
