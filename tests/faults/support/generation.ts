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
import { type Maker, post } from "./makers.ts";
import type { Product } from "./product.ts";

/** A maker whose pins are on their way, and the credits that must be left when all are made. */
export interface Order {
  maker: Maker;
  groupId: string;
  pins: number;
  grantedCredits: number;
  costCredits: number;
}

/** More than the pins cost, so that a credit that went missing or came twice would show. */
const SPARE_CREDITS = 3;

/** Grants the credits and asks for the pins over HTTP; every other maker asks for the dearer quality. */
export const orderPins = async ({ ctx }: Product, makers: readonly Maker[], pinsEach: number): Promise<Order[]> => {
  const orders = makers.map(async (maker, index): Promise<Order> => {
    const quality = index % 2 === 0 ? "high" : "standard";
    const costCredits = pinsEach * COST_CREDITS[quality];
    const grantedCredits = costCredits - FREE_ALLOWANCE + SPARE_CREDITS;
    const { userId, accountId, boardId } = maker;
    await grantCredits(ctx, { userId, credits: grantedCredits, note: "For a test", cause: `test:${userId}` });
    const answer = await post(maker, "/api/users/pinterest/generate-pins/", {
      pinterest_account: accountId,
      board_id: boardId,
      quality,
      keyword_data: Array.from({ length: pinsEach }, (_, n) => ({ keyword: `small garden ${index} ${n}`, url: null })),
    });
    expect(answer).toMatchObject({ total_tasks: pinsEach, warning: null });
    return { maker, groupId: String(answer.group_id), pins: pinsEach, grantedCredits, costCredits };
  });
  return Promise.all(orders);
};

const isOfOrders = (orders: readonly Order[]) =>
  inArray(
    generationTasks.groupId,
    orders.map(({ groupId }) => groupId),
  );

/** How far the pins are: pictures that are stored, and tasks that have ended, however they did. */
export const countMade = async (
  { ctx }: Product,
  orders: readonly Order[],
): Promise<{ drawn: number; ended: number }> => {
  const [row] = await ctx.db
    .select({ drawn: count(generationTasks.imageKey), ended: count(generationTasks.finishedAt) })
    .from(generationTasks)
    .where(isOfOrders(orders));
  return row ?? { drawn: 0, ended: 0 };
};

/** How often sweeps have asked for these pins again. */
export const countSentAgain = async ({ ctx }: Product, orders: readonly Order[]): Promise<number> => {
  const [row] = await ctx.db
    .select({ sent: sum(generationTasks.sweeps).mapWith(Number) })
    .from(generationTasks)
    .where(isOfOrders(orders));
  return row?.sent ?? 0;
};

const expectOneDraftPerTask = async ({ ctx, app }: Product, orders: readonly Order[]): Promise<void> => {
  const asked = orders.reduce((sum, order) => sum + order.pins, 0);
  const tasks = await ctx.db.select().from(generationTasks).where(isOfOrders(orders));
  expect(tasks.map(({ status }) => status)).toEqual(Array(asked).fill("SUCCESS"));
  const userIds = orders.map(({ maker }) => maker.userId);
  const drafts = await ctx.db.select().from(pins).where(inArray(pins.userId, userIds));
  expect(drafts.map(({ id }) => id).sort()).toEqual(tasks.map(({ pinId }) => pinId).sort());
  expect(new Set(drafts.map(({ status }) => status))).toEqual(new Set(["draft"]));
  const stored = new Set(readdirSync(join(app.dataDir, "storage", "pins")));
  const named = drafts.map(({ imageKey }) => imageKey.replace(/^pins\//, ""));
  expect(new Set(named).size).toBe(asked);
  expect(named.filter((name) => !stored.has(name))).toEqual([]);
};

const expectSettledOnce = async ({ ctx }: Product, { maker, groupId, pins: made }: Order): Promise<void> => {
  const tasks = await ctx.db.select().from(generationTasks).where(eq(generationTasks.groupId, groupId));
  const settled = await ctx.db.select().from(creditReservations).where(eq(creditReservations.userId, maker.userId));
  expect(settled.map(({ reference }) => reference).sort()).toEqual(tasks.map(({ id }) => id).sort());
  expect(settled.every(({ settledAt, outcome }) => settledAt !== null && outcome === "spend")).toBe(true);
  const rows = await ctx.db
    .select({ kind: creditTransfers.kind, times: count() })
    .from(creditTransfers)
    .where(eq(creditTransfers.userId, maker.userId))
    .groupBy(creditTransfers.kind);
  const times = Object.fromEntries(rows.map((row) => [row.kind, row.times]));
  expect(times).toEqual({ allowance: 1, grant: 1, reserve: made, spend: made });
};

const expectShown = async ({ maker, groupId, pins: made, grantedCredits, costCredits }: Order): Promise<void> => {
  const track = await maker.user.call(`/api/users/pinterest/track-pin-generation/?group_id=${groupId}`);
  expect(track.json).toMatchObject({ total_tasks: made, completed_tasks: made, progress_percentage: 100 });
  const { posts } = Object((await maker.user.call(`/api/users/pinterest/generated-pins/${maker.accountId}/`)).json);
  expect(posts).toHaveLength(made);
  const picture = await maker.user.call(posts[0].image_url);
  expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  const { available_credits } = Object((await maker.user.call("/api/users/credits/")).json);
  expect(available_credits).toBe(grantedCredits + FREE_ALLOWANCE - costCredits);
};

/** R-SRV-01, R-TRK-15: every pin made once, every credit where it belongs, and the users see just that. */
export const expectMadeOnce = async (product: Product, orders: readonly Order[]): Promise<void> => {
  await expectOneDraftPerTask(product, orders);
  for (const order of orders) await expectSettledOnce(product, order);
  expect(await checkLedger(product.ctx)).toMatchObject({ faults: [], sumCredits: 0 });
  for (const order of orders) await expectShown(order);
};
