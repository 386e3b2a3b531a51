import { users } from "#db/schema/identity.ts";
import { type FullCtx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { ensureAllowance, openPaidPeriod } from "#lib/features/credits/allowance.ts";
import { grantCredits, grantPurchase, restoreGrant, revokeGrant } from "#lib/features/credits/grants.ts";
import { reserveCredits, settleReservation } from "#lib/features/credits/reservations.ts";
import { setPlan } from "#lib/features/identity/users.ts";
import type { Answer, Op } from "./ledger-ops.ts";

/** A user of the database to whom a model's operations are done. */
export interface Player {
  ctx: FullCtx;
  userId: UserId;
  /** A name that no other piece of work has. */
  newReference(): string;
}

/** A user without the slow parts of registering. */
export const insertPlayer = async (ctx: FullCtx): Promise<Player> => {
  const userId = ctx.newId("user");
  const names = {
    email: `${userId}@example.com`,
    emailKey: `${userId}@example.com`,
    username: userId,
    usernameKey: userId,
  };
  const person = { firstName: "Test", lastName: "Person", passwordHash: "" };
  await ctx.db.insert(users).values({ id: userId, ...names, ...person, createdAt: ctx.now() });
  return { ctx, userId, newReference: () => ctx.newId("task") };
};

const dateOrNull = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

const subscriptionOf = ({ userId }: Player, nth: number): string => `sub_${userId}_${nth}`;

const pay = (player: Player, op: Extract<Op, { kind: "pay" }>): Promise<Answer> =>
  inTransaction(player.ctx, async (tx) => {
    const { userId } = player;
    const { startsAt, credits, plan, endsAt, mayReturn } = op;
    await setPlan(tx, { userId, plan, planEndsAt: dateOrNull(endsAt) });
    const opened = await openPaidPeriod(tx, {
      userId,
      subscriptionId: subscriptionOf(player, op.subscription),
      startsAt: new Date(startsAt),
      credits,
      note: "",
      mayReturn,
    });
    return [opened.kind, opened.credits];
  });

const settle = async ({ ctx }: Player, { reference, outcome }: Extract<Op, { kind: "settle" }>): Promise<Answer> => {
  try {
    const settled = await settleReservation(ctx, { reference, outcome });
    return [settled.kind, settled.outcome ?? "open"];
  } catch (error) {
    if (error instanceof AppError) return [error.code];
    throw error;
  }
};

const reserve = async ({ ctx, userId }: Player, { costs }: Extract<Op, { kind: "reserve" }>): Promise<Answer> => {
  const lots = costs.map(({ reference, credits }) => ({ reference, costCredits: credits }));
  const { reserved, availableCredits, letterIds } = await reserveCredits(ctx, { userId, lots });
  return [reserved, availableCredits, letterIds.length];
};

/** Does a model's operation to the product. @returns its answer in the model's words. */
export const perform = async (player: Player, op: Op): Promise<Answer> => {
  const { ctx, userId } = player;
  switch (op.kind) {
    case "need": {
      const { allowance, purchased, period } = await ensureAllowance(ctx, { userId });
      return [allowance, purchased, period];
    }
    case "grant": {
      const granted = await grantCredits(ctx, { userId, credits: op.credits, note: "", cause: op.name });
      return [granted.kind, granted.availableCredits];
    }
    case "buy": {
      const bought = await grantPurchase(ctx, { userId, transactionId: op.pack, credits: op.credits, note: "" });
      return [bought.kind, bought.availableCredits];
    }
    case "reserve":
      return reserve(player, op);
    case "settle":
      return settle(player, op);
    case "pay":
      return pay(player, op);
    case "end":
      await setPlan(ctx, { userId, plan: op.plan, planEndsAt: dateOrNull(op.endsAt) });
      return [];
    case "refund": {
      const of = { kind: "pack", transactionId: op.pack } as const;
      const taken = await revokeGrant(ctx, { userId, adjustmentId: op.adjustment, of, credits: op.credits, note: "" });
      return [taken.credits];
    }
    case "refundPlan": {
      const subscriptionId = subscriptionOf(player, op.subscription);
      const of = { kind: "plan", subscriptionId, startsAt: new Date(op.startsAt) } as const;
      const taken = await revokeGrant(ctx, { userId, adjustmentId: op.adjustment, of, credits: op.credits, note: "" });
      return [taken.credits];
    }
    case "reverse":
      return [(await restoreGrant(ctx, { userId, revocationId: op.adjustment, note: "" })).credits];
  }
};
