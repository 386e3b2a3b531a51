import { pinterestAccounts } from "#db/schema/accounts.ts";
import { freeAllowanceClaims } from "#db/schema/credits.ts";
import { users } from "#db/schema/identity.ts";
import { type FullCtx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { ensureAllowance, openPaidPeriod, settleFreeAllowance } from "#lib/features/credits/allowance.ts";
import { hashAccount } from "#lib/features/credits/free-allowance.ts";
import { grantCredits, grantPurchase, restoreGrant, revokeGrant } from "#lib/features/credits/grants.ts";
import { reserveCredits, settleReservation } from "#lib/features/credits/reservations.ts";
import { setPlan } from "#lib/features/identity/users.ts";
import type { Answer, Op } from "./ledger-ops.ts";

/** A database user that a model's operations are applied to. */
export interface LedgerUser {
  ctx: FullCtx;
  userId: UserId;
  /** A reference that no other task has. */
  newReference(): string;
}

/** A user without the slow parts of registration. */
export const insertLedgerUser = async (ctx: FullCtx): Promise<LedgerUser> => {
  const userId = ctx.newId("user");
  const names = {
    email: `${userId}@example.com`,
    emailKey: `${userId}@example.com`,
    username: userId,
    usernameKey: userId,
  };
  const person = { firstName: "Test", lastName: "Person", passwordHash: "" };
  // Confirmed, because the model's users spend the free credits of several months.
  const times = { createdAt: ctx.now(), emailVerifiedAt: ctx.now() };
  await ctx.db.insert(users).values({ id: userId, ...names, ...person, ...times });
  return { ctx, userId, newReference: () => ctx.newId("task") };
};

const dateOrNull = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

const subscriptionOf = ({ userId }: LedgerUser, nth: number): string => `sub_${userId}_${nth}`;

const pay = (ledgerUser: LedgerUser, op: Extract<Op, { kind: "pay" }>): Promise<Answer> =>
  inTransaction(ledgerUser.ctx, async (tx) => {
    const { userId } = ledgerUser;
    const { startsAt, credits, plan, endsAt, canRestore } = op;
    await setPlan(tx, { userId, plan, planEndsAt: dateOrNull(endsAt) });
    const opened = await openPaidPeriod(tx, {
      userId,
      subscriptionId: subscriptionOf(ledgerUser, op.subscription),
      startsAt: new Date(startsAt),
      credits,
      note: "",
      canRestore,
    });
    return [opened.kind, opened.credits];
  });

const connect = (
  { ctx, userId }: LedgerUser,
  { account, isTaken }: Extract<Op, { kind: "connect" }>,
): Promise<Answer> =>
  inTransaction(ctx, async (tx) => {
    const person = { userId, pinterestUserId: account, username: "moss", status: "connected" as const };
    await tx.db.insert(pinterestAccounts).values({ id: tx.newId("account"), ...person, connectedAt: tx.now() });
    // Far ahead, so that it never passes to this user.
    const claim = { accountHash: hashAccount(tx, account), userId: null, period: "9999-12", claimedAt: tx.now() };
    if (isTaken) await tx.db.insert(freeAllowanceClaims).values(claim);
    await settleFreeAllowance(tx, { userId });
    return [];
  });

const settle = async (
  { ctx }: LedgerUser,
  { reference, outcome }: Extract<Op, { kind: "settle" }>,
): Promise<Answer> => {
  try {
    const settled = await settleReservation(ctx, { reference, outcome });
    return [settled.kind, settled.outcome ?? "open"];
  } catch (error) {
    if (error instanceof AppError) return [error.code];
    throw error;
  }
};

const reserve = async ({ ctx, userId }: LedgerUser, { costs }: Extract<Op, { kind: "reserve" }>): Promise<Answer> => {
  const lots = costs.map(({ reference, credits }) => ({ reference, costCredits: credits }));
  const { reserved, availableCredits, emailIds } = await reserveCredits(ctx, { userId, lots });
  return [reserved, availableCredits, emailIds.length];
};

/** Applies a model's operation to the product. @returns the result in the model's form */
export const perform = async (ledgerUser: LedgerUser, op: Op): Promise<Answer> => {
  const { ctx, userId } = ledgerUser;
  switch (op.kind) {
    case "need": {
      const { allowance, purchased, period } = await ensureAllowance(ctx, { userId });
      return [allowance, purchased, period];
    }
    case "connect":
      return connect(ledgerUser, op);
    case "grant": {
      const granted = await grantCredits(ctx, { userId, credits: op.credits, note: "", cause: op.name });
      return [granted.kind, granted.availableCredits];
    }
    case "buy": {
      const bought = await grantPurchase(ctx, { userId, transactionId: op.pack, credits: op.credits, note: "" });
      return [bought.kind, bought.availableCredits];
    }
    case "reserve":
      return reserve(ledgerUser, op);
    case "settle":
      return settle(ledgerUser, op);
    case "pay":
      return pay(ledgerUser, op);
    case "end":
      await setPlan(ctx, { userId, plan: op.plan, planEndsAt: dateOrNull(op.endsAt) });
      return [];
    case "refund": {
      const of = { kind: "pack", transactionId: op.pack } as const;
      const taken = await revokeGrant(ctx, { userId, adjustmentId: op.adjustment, of, credits: op.credits, note: "" });
      return [taken.credits];
    }
    case "refundPlan": {
      const subscriptionId = subscriptionOf(ledgerUser, op.subscription);
      const of = { kind: "plan", subscriptionId, startsAt: new Date(op.startsAt) } as const;
      const taken = await revokeGrant(ctx, { userId, adjustmentId: op.adjustment, of, credits: op.credits, note: "" });
      return [taken.credits];
    }
    case "reverse":
      return [(await restoreGrant(ctx, { userId, revocationId: op.adjustment, note: "" })).credits];
  }
};
