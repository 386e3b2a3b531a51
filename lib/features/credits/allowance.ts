import "server-only";
import { eq } from "drizzle-orm";
import { creditBalances } from "#db/schema/credits.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { FREE_ALLOWANCE, planAt } from "#lib/features/billing/plans.ts";
import { findPlan } from "#lib/features/identity/queries.ts";
import { claimFreeAllowance } from "./free-allowance.ts";
import { lockBalance, type Movement, moveCredits } from "./ledger.ts";
import {
  allowanceCause,
  allowanceCausePrefix,
  allowancePeriod,
  describePeriod,
  expiryCause,
  isAllowanceTaken,
  isMonthDue,
  paidPeriod,
  returnedAllowanceCause,
} from "./policy.ts";
import {
  type Balance,
  countTransfers,
  findBalanceAndPlan,
  findPastPeriod,
  findTransfer,
  type PastPeriod,
} from "./queries.ts";

const FREE_NOTE = "Monthly credits: Free plan";
const TAKEN = "No free credits: another user already gets them for your Pinterest account";

interface NewPeriod {
  balance: Balance;
  period: string;
  cause: string;
  credits: number;
  note: string;
  /** The period's whole allowance when it differs from what is issued now. */
  granted?: number;
  /** Set if it is the newest paid period so far. */
  paidFrom?: Date;
}

/** `next`: the key of the next period, or what else ended this one. */
const expiryOf = async (tx: Ctx, balance: Balance, next: string, note?: string): Promise<Movement[]> => {
  const { userId, period, allowance } = balance;
  if (allowance === 0) return [];
  // Includes the next period, because a month can end twice with a paid plan in between; repeats are numbered.
  const cause = `${expiryCause(userId, period)}${next}`;
  const times = (await findTransfer(tx, userId, cause)) ? await countTransfers(tx, userId, cause) : 0;
  return [
    {
      kind: "expiry",
      cause: times === 0 ? cause : `${cause}:${times}`,
      note: note ?? `Unused credits from ${describePeriod(period)} expired`,
      lines: { allowance: -allowance, expired: allowance },
    },
  ];
};

const startPeriod = async (tx: Ctx, next: NewPeriod): Promise<Balance> => {
  const { balance, period, cause, credits, note, granted = credits, paidFrom } = next;
  const lines = { issued: -credits, allowance: credits };
  const expiry = await expiryOf(tx, balance, period);
  const movements: Movement[] = [...expiry, { kind: "allowance", cause, note, lines }];
  await moveCredits(tx, { balance, movements });
  const [started] = await tx.db
    .update(creditBalances)
    .set({ period, granted, ...(paidFrom && { paidFrom }) })
    .where(eq(creditBalances.userId, balance.userId))
    .returning();
  if (!started) throw new AppError("internal", { cause: new Error("The balance vanished under its lock.") });
  return started;
};

/** On the free plan's first use in the month; an ended paid plan's rest expires then. Paid plans: openPaidPeriod. */
export const ensureAllowance = async (ctx: Ctx, { userId }: { userId: UserId }): Promise<Balance> => {
  const found = await findBalanceAndPlan(ctx, userId);
  const now = ctx.now();
  if (found && !isMonthDue({ period: found.balance.period, plan: planAt(found, now) }, now)) return found.balance;
  return inTransaction(ctx, async (tx) => rollAllowance(tx, await lockBalance(tx, userId)));
};

/** For callers with the lock. On the database's clock, so a fast process clock ends no period early (decision 0007). */
export const rollAllowance = async (tx: Ctx, balance: Balance): Promise<Balance> => {
  const period = allowancePeriod(tx.now());
  if (balance.period === period) return balance;
  const plan = await findPlan(tx, balance.userId);
  if (!isMonthDue({ period: balance.period, plan }, tx.now())) return balance;
  const isOwn = await claimFreeAllowance(tx, { userId: balance.userId, period });
  return startPeriod(tx, {
    balance,
    period,
    // If a paid plan interrupted this month, its cause exists and nothing is granted twice.
    cause: `allowance:${balance.userId}:${period}`,
    credits: isOwn ? FREE_ALLOWANCE : 0,
    note: isOwn ? FREE_NOTE : TAKEN,
  });
};

/** Grants a month's free credits, once, when an account that counted for another user becomes available. */
const grantLateAllowance = async (tx: Ctx, balance: Balance): Promise<void> => {
  const { userId, period } = balance;
  if (!isAllowanceTaken(balance)) return;
  const cause = `allowance:${userId}:${period}:claimed`;
  if (await findTransfer(tx, userId, cause)) return;
  const granted = await findTransfer(tx, userId, `allowance:${userId}:${period}`);
  const taken = await findTransfer(tx, userId, `${expiryCause(userId, period)}taken`);
  // What was taken at an earlier connection; used credits stay used.
  const credits = granted && granted.allowance > 0 ? -(taken?.allowance ?? 0) : FREE_ALLOWANCE;
  const lines = { issued: -credits, allowance: credits };
  await moveCredits(tx, {
    balance,
    movements: [{ kind: "allowance", cause, note: FREE_NOTE, lines }],
  });
  await tx.db.update(creditBalances).set({ granted: FREE_ALLOWANCE }).where(eq(creditBalances.userId, userId));
};

/**
 * For a newly connected account, in the transaction that stores it. If all accounts count for other users, the unused
 * free credits of this month expire. Paid plans are not affected.
 */
export const settleFreeAllowance = async (tx: Ctx, { userId }: { userId: UserId }): Promise<void> => {
  const balance = await rollAllowance(tx, await lockBalance(tx, userId));
  const { period } = balance;
  if (period !== allowancePeriod(tx.now()) || (await findPlan(tx, userId)) !== "free") return;
  if (await claimFreeAllowance(tx, { userId, period })) return grantLateAllowance(tx, balance);
  await moveCredits(tx, { balance, movements: await expiryOf(tx, balance, "taken", TAKEN) });
  await tx.db.update(creditBalances).set({ granted: 0 }).where(eq(creditBalances.userId, userId));
};

interface PaidPeriod {
  userId: UserId;
  subscriptionId: string;
  startsAt: Date;
  credits: number;
  note: string;
  /** Its subscription grants the plan again. */
  canRestore: boolean;
}

export interface PeriodResult {
  kind: "opened" | "raised" | "returned" | "unchanged";
  credits: number;
}

const RETURNED = "Unused monthly credits were restored";

const UNCHANGED: PeriodResult = { kind: "unchanged", credits: 0 };

/** An upgrade within the period: credits already used stay used. */
const raiseAllowance = async (tx: Ctx, balance: Balance, paid: PaidPeriod): Promise<PeriodResult> => {
  const { subscriptionId, startsAt, credits, note } = paid;
  const more = credits - balance.granted;
  if (more <= 0) return UNCHANGED;
  const cause = `${allowanceCause(subscriptionId, startsAt)}:${credits}`;
  const lines = { issued: -more, allowance: more };
  await moveCredits(tx, { balance, movements: [{ kind: "allowance", cause, note, lines }] });
  await tx.db.update(creditBalances).set({ granted: credits }).where(eq(creditBalances.userId, balance.userId));
  return { kind: "raised", credits: more };
};

const findPast = (tx: Ctx, { userId, subscriptionId, startsAt }: PaidPeriod): Promise<PastPeriod> =>
  findPastPeriod(tx, userId, {
    subscription: allowanceCausePrefix(subscriptionId),
    period: allowanceCause(subscriptionId, startsAt),
    again: returnedAllowanceCause(subscriptionId, startsAt),
    expiry: expiryCause(userId, paidPeriod(startsAt)),
  });

const returnRemainder = async (
  tx: Ctx,
  balance: Balance,
  paid: PaidPeriod,
  past: PastPeriod,
): Promise<PeriodResult> => {
  const { subscriptionId, startsAt } = paid;
  const { granted, returned, expired, times } = past;
  const credits = Math.max(0, granted - Math.max(0, granted + returned - expired));
  const cause = `${returnedAllowanceCause(subscriptionId, startsAt)}${times}`;
  const period = paidPeriod(startsAt);
  const started = await startPeriod(tx, { balance, period, cause, credits, granted, note: RETURNED });
  const raised = await raiseAllowance(tx, started, paid);
  return { kind: "returned", credits: credits + raised.credits };
};

/**
 * Once per period; more credits add the difference, a replaced period gets its unused part back, an older one nothing.
 * Set the plan first, in the same transaction: a free plan would end the allowance.
 */
export const openPaidPeriod = (ctx: Ctx, paid: PaidPeriod): Promise<PeriodResult> =>
  inTransaction(ctx, async (tx) => {
    const { userId, subscriptionId, startsAt, credits, note, canRestore } = paid;
    const balance = await lockBalance(tx, userId);
    const period = paidPeriod(startsAt);
    const cause = allowanceCause(subscriptionId, startsAt);
    if (balance.period === period && (await findTransfer(tx, userId, cause))) return raiseAllowance(tx, balance, paid);
    if (balance.paidFrom === null || startsAt > balance.paidFrom) {
      await startPeriod(tx, { balance, period, cause, credits, note, paidFrom: startsAt });
      return { kind: "opened", credits };
    }
    const past = await findPast(tx, paid);
    if (past.newest !== null && past.newest > startsAt.toISOString()) return UNCHANGED;
    if (past.times > 0) return canRestore ? returnRemainder(tx, balance, paid, past) : UNCHANGED;
    await startPeriod(tx, { balance, period, cause, credits, note });
    return { kind: "opened", credits };
  });
