import "server-only";
import { eq } from "drizzle-orm";
import { creditBalances } from "#db/schema/credits.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { beginPeriod } from "./begin-period.ts";
import { lockBalance } from "./lock-balance.ts";
import { moveCredits } from "./move-credits.ts";
import { allowanceAgainCause, allowanceCause, allowancesCause, expiryCause, paidPeriod } from "./policy.ts";
import { type Balance, findPastPeriod, findTransfer, type PastPeriod } from "./queries.ts";

/** A period that was paid for. `credits`: what its plan gives in all. `note`: the sentence that the user reads. */
export interface PaidPeriod {
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
