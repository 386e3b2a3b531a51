import { readdirSync } from "node:fs";
import { join } from "node:path";
import { count, eq, inArray, sum } from "drizzle-orm";
import { expect } from "vitest";
import { creditReservations, creditTransfers } from "#db/schema/credits.ts";
import { generationTasks } from "#db/schema/generation.ts";
import { pins } from "#db/schema/pins.ts";
import { FREE_ALLOWANCE } from "#lib/features/billing/plans.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { type Creator, post } from "./creators.ts";
import type { Product } from "./product.ts";

/** A user with running pins, and the credits that must remain when all are finished. */
export interface GenerationOrder {
  creator: Creator;
  groupId: string;
  pins: number;
  grantedCredits: number;
  costCredits: number;
}

/** More than the pins cost, so that missing or duplicate credits would show. */
const SPARE_CREDITS = 3;

/** Grants credits and starts pins over HTTP; every other user chooses the high quality. */
export const requestPins = async (
  { ctx }: Product,
  creators: readonly Creator[],
  pinsEach: number,
): Promise<GenerationOrder[]> => {
  const orders = creators.map(async (creator, index): Promise<GenerationOrder> => {
    const quality = index % 2 === 0 ? "high" : "standard";
    const costCredits = pinsEach * COST_CREDITS[quality];
    const grantedCredits = costCredits - FREE_ALLOWANCE + SPARE_CREDITS;
    const { userId, accountId, boardId } = creator;
    await grantCredits(ctx, { userId, credits: grantedCredits, note: "For a test", cause: `test:${userId}` });
    const answer = await post(creator, "/api/users/pinterest/generate-pins/", {
      pinterest_account: accountId,
      board_id: boardId,
      quality,
      keyword_data: Array.from({ length: pinsEach }, (_, n) => ({ keyword: `small garden ${index} ${n}`, url: null })),
    });
    expect(answer).toMatchObject({ total_tasks: pinsEach, warning: null });
    return { creator, groupId: String(answer.group_id), pins: pinsEach, grantedCredits, costCredits };
  });
  return Promise.all(orders);
};

const inGroups = (orders: readonly GenerationOrder[]) =>
  inArray(
    generationTasks.groupId,
    orders.map(({ groupId }) => groupId),
  );

/** Stored images and ended tasks. */
export const countProgress = async (
  { ctx }: Product,
  orders: readonly GenerationOrder[],
): Promise<{ stored: number; ended: number }> => {
  const [row] = await ctx.db
    .select({ stored: count(generationTasks.imageKey), ended: count(generationTasks.finishedAt) })
    .from(generationTasks)
    .where(inGroups(orders));
  return row ?? { stored: 0, ended: 0 };
};

/** How often sweeps resent the events of these pins. */
export const countResends = async ({ ctx }: Product, orders: readonly GenerationOrder[]): Promise<number> => {
  const [row] = await ctx.db
    .select({ sent: sum(generationTasks.sweeps).mapWith(Number) })
    .from(generationTasks)
    .where(inGroups(orders));
  return row?.sent ?? 0;
};

const expectOneDraftPerTask = async ({ ctx, app }: Product, orders: readonly GenerationOrder[]): Promise<void> => {
  const requested = orders.reduce((sum, order) => sum + order.pins, 0);
  const tasks = await ctx.db.select().from(generationTasks).where(inGroups(orders));
  expect(tasks.map(({ status }) => status)).toEqual(Array(requested).fill("SUCCESS"));
  const userIds = orders.map(({ creator }) => creator.userId);
  const drafts = await ctx.db.select().from(pins).where(inArray(pins.userId, userIds));
  expect(drafts.map(({ id }) => id).sort()).toEqual(tasks.map(({ pinId }) => pinId).sort());
  expect(new Set(drafts.map(({ status }) => status))).toEqual(new Set(["draft"]));
  const stored = new Set(readdirSync(join(app.dataDir, "storage", "pins")));
  const named = drafts.map(({ imageKey }) => imageKey.replace(/^pins\//, ""));
  expect(new Set(named).size).toBe(requested);
  expect(named.filter((name) => !stored.has(name))).toEqual([]);
};

const expectSettledOnce = async (
  { ctx }: Product,
  { creator, groupId, pins: progress }: GenerationOrder,
): Promise<void> => {
  const tasks = await ctx.db.select().from(generationTasks).where(eq(generationTasks.groupId, groupId));
  const settled = await ctx.db.select().from(creditReservations).where(eq(creditReservations.userId, creator.userId));
  expect(settled.map(({ reference }) => reference).sort()).toEqual(tasks.map(({ id }) => id).sort());
  expect(settled.every(({ settledAt, outcome }) => settledAt !== null && outcome === "spend")).toBe(true);
  const rows = await ctx.db
    .select({ kind: creditTransfers.kind, times: count() })
    .from(creditTransfers)
    .where(eq(creditTransfers.userId, creator.userId))
    .groupBy(creditTransfers.kind);
  const times = Object.fromEntries(rows.map((row) => [row.kind, row.times]));
  expect(times).toEqual({ allowance: 1, grant: 1, reserve: progress, spend: progress });
};

const expectVisible = async ({
  creator,
  groupId,
  pins: progress,
  grantedCredits,
  costCredits,
}: GenerationOrder): Promise<void> => {
  const track = await creator.user.call(`/api/users/pinterest/track-pin-generation/?group_id=${groupId}`);
  expect(track.json).toMatchObject({ total_tasks: progress, completed_tasks: progress, progress_percentage: 100 });
  const { posts } = Object((await creator.user.call(`/api/users/pinterest/generated-pins/${creator.accountId}/`)).json);
  expect(posts).toHaveLength(progress);
  const image = await creator.user.call(posts[0].image_url);
  expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  const { available_credits } = Object((await creator.user.call("/api/users/credits/")).json);
  expect(available_credits).toBe(grantedCredits + FREE_ALLOWANCE - costCredits);
};

/** R-SRV-01, R-TRK-15: every pin was generated once, the credits add up, and users see the same. */
export const expectGeneratedOnce = async (product: Product, orders: readonly GenerationOrder[]): Promise<void> => {
  await expectOneDraftPerTask(product, orders);
  for (const order of orders) await expectSettledOnce(product, order);
  expect(await checkLedger(product.ctx)).toMatchObject({ faults: [], sumCredits: 0 });
  for (const order of orders) await expectVisible(order);
};
