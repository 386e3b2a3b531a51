import "server-only";
import { eq } from "drizzle-orm";
import { creditBalances } from "#db/schema/credits.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { FREE_ALLOWANCE, planAt } from "#lib/features/billing/plans.ts";
import { findPlan } from "#lib/features/identity/queries.ts";
import { lockBalance, type Movement, moveCredits } from "./ledger.ts";
import {
  allowanceAgainCause,
  allowanceCause,
  allowancePeriod,
  allowancesCause,
  describePeriod,
  expiryCause,
  isMonthDue,
  paidPeriod,
} from "./policy.ts";
import {
  type Balance,
  countTransfers,
  findPastPeriod,
  findStanding,
  findTransfer,
  type PastPeriod,
} from "./queries.ts";

/** A period that begins, and what it gives. `balance` is the locked one of the period that ends. */
interface NewPeriod {
  balance: Balance;
  period: string;
  cause: string;
  credits: number;
  note: string;
  /** What it gives in all, where that is not what is issued now. */
  granted?: number;
  /** When it began, if it was paid for and none that was paid for began later. */
  paidFrom?: Date;
}

/** What is left of an ended period's allowance goes; it does not carry over. */
const expiryOf = async (tx: Ctx, { userId, period, allowance }: Balance, next: string): Promise<Movement[]> => {
  if (allowance === 0) return [];
  // With the next period's key: a month may end twice, with a paid plan in between. By the same one again: numbered.
  // Rows of this table hold ids of users.
  const cause = `${expiryCause(userId, period)}${next}`;
  const times = (await findTransfer(tx, userId, cause)) ? await countTransfers(tx, userId, cause) : 0;
  return [
    {
      kind: "expiry",
      cause: times === 0 ? cause : `${cause}:${times}`,
      note: `Unused credits of ${describePeriod(period)} expired`,
      lines: { allowance: -allowance, expired: allowance },
    },
  ];
};

/** Ends the present allowance period of a user and begins another. Belongs under the lock of the balance. */
const beginPeriod = async (tx: Ctx, next: NewPeriod): Promise<Balance> => {
  const { balance, period, cause, credits, note, granted = credits, paidFrom } = next;
  const lines = { issued: -credits, allowance: credits };
  const expiry = await expiryOf(tx, balance, period);
  const movements: Movement[] = [...expiry, { kind: "allowance", cause, note, lines }];
  await moveCredits(tx, { balance, movements });
  const [begun] = await tx.db
    .update(creditBalances)
    .set({ period, granted, ...(paidFrom && { paidFrom }) })
    .where(eq(creditBalances.userId, balance.userId))
    .returning();
  if (!begun) throw new AppError("internal", { cause: new Error("The balance vanished under its lock.") });
  return begun;
};

/**
 * Gives a user of the free plan the allowance of the present month, once, at first need in it (DESIGN §6, A-26); what a
 * paid plan that has ended left of its own goes then (R-SUB-06). A paid plan's comes with its payments: openPaidPeriod.
 * @returns the balance with the present period's allowance in it
 */
export const ensureAllowance = async (ctx: Ctx, { userId }: { userId: UserId }): Promise<Balance> => {
  const seen = await findStanding(ctx, userId);
  const now = ctx.now();
  if (seen && !isMonthDue({ period: seen.balance.period, plan: planAt(seen, now) }, now)) return seen.balance;
  return inTransaction(ctx, async (tx) => rollAllowance(tx, await lockBalance(tx, userId)));
};

/**
 * Begins the free plan's month in a locked balance, if it is due: {@link ensureAllowance} for whoever holds the lock.
 * Decided by the database's clock: a process whose own is ahead ends no period early (decision 0007).
 * @returns the balance as it is then
 */
export const rollAllowance = async (tx: Ctx, balance: Balance): Promise<Balance> => {
  const period = allowancePeriod(tx.now());
  // The month has begun: whatever the plan, there is nothing to do, and nothing to ask.
  if (balance.period === period) return balance;
  // Rows of this table hold the ids of users.
  const plan = await findPlan(tx, balance.userId);
  if (!isMonthDue({ period: balance.period, plan }, tx.now())) return balance;
  return beginPeriod(tx, {
    balance,
    period,
    // A month that was interrupted by a paid plan gave its credits before: this cause exists then.
    cause: `allowance:${balance.userId}:${period}`,
    credits: FREE_ALLOWANCE,
    note: "Monthly credits of the Free plan",
  });
};

/** A period that was paid for. `credits`: what its plan gives in all. `note`: the sentence that the user reads. */
interface PaidPeriod {
  userId: UserId;
  subscriptionId: string;
  startsAt: Date;
  credits: number;
  note: string;
  /** Whether it comes back where another period took its place: its subscription gives the plan (again). */
  mayReturn: boolean;
}

/** What it came to; `credits` were issued now. */
export interface Opened {
  kind: "opened" | "raised" | "returned" | "unchanged";
  credits: number;
}

/** The sentence for what comes back. */
const RETURNED = "Monthly credits that were left came back";

const UNCHANGED: Opened = { kind: "unchanged", credits: 0 };

/** A larger plan within the period: what was spent of the smaller one's credits stays spent (DESIGN §6, A-96). */
const raise = async (tx: Ctx, balance: Balance, paid: PaidPeriod): Promise<Opened> => {
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
    subscription: allowancesCause(subscriptionId),
    period: allowanceCause(subscriptionId, startsAt),
    again: allowanceAgainCause(subscriptionId, startsAt),
    expiry: expiryCause(userId, paidPeriod(startsAt)),
  });

/** What was given for a period, less what was used of it before another one took its place; then what it gives more. */
const returnRest = async (tx: Ctx, balance: Balance, paid: PaidPeriod, past: PastPeriod): Promise<Opened> => {
  const { subscriptionId, startsAt } = paid;
  const { given: granted, comeBack, expired, times } = past;
  const credits = Math.max(0, granted - Math.max(0, granted + comeBack - expired));
  const cause = `${allowanceAgainCause(subscriptionId, startsAt)}${times}`;
  const period = paidPeriod(startsAt);
  const begun = await beginPeriod(tx, { balance, period, cause, credits, granted, note: RETURNED });
  const raised = await raise(tx, begun, paid);
  return { kind: "returned", credits: credits + raised.credits };
};

/**
 * Gives the allowance of a period that was paid for, once (DESIGN §6, A-25): what is left of the one before goes, the
 * plan's credits are issued. The same period with more credits is raised by the difference. Call it for the period that
 * the plan rests on: one that another subscription's, or the free month, had taken the place of comes back with what was
 * not used of it. One that is older than another of the same subscription gives nothing.
 * The plan must be written down before, in the same transaction: a free plan ends a paid allowance at first need.
 */
export const openPaidPeriod = (ctx: Ctx, paid: PaidPeriod): Promise<Opened> =>
  inTransaction(ctx, async (tx) => {
    const { userId, subscriptionId, startsAt, credits, note, mayReturn } = paid;
    const balance = await lockBalance(tx, userId);
    const period = paidPeriod(startsAt);
    const cause = allowanceCause(subscriptionId, startsAt);
    if (balance.period === period && (await findTransfer(tx, userId, cause))) return raise(tx, balance, paid);
    if (balance.paidFrom === null || startsAt > balance.paidFrom) {
      await beginPeriod(tx, { balance, period, cause, credits, note, paidFrom: startsAt });
      return { kind: "opened", credits };
    }
    const past = await findPast(tx, paid);
    if (past.newest !== null && past.newest > startsAt.toISOString()) return UNCHANGED;
    if (past.times > 0) return mayReturn ? returnRest(tx, balance, paid, past) : UNCHANGED;
    await beginPeriod(tx, { balance, period, cause, credits, note });
    return { kind: "opened", credits };
  });
