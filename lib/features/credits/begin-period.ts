import "server-only";
import { eq } from "drizzle-orm";
import { creditBalances } from "#db/schema/credits.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { type Movement, moveCredits } from "./move-credits.ts";
import { describePeriod, expiryCause } from "./policy.ts";
import { type Balance, countTransfers, findTransfer } from "./queries.ts";

/** A period that begins, and what it gives. `balance` is the locked one of the period that ends. */
export interface NewPeriod {
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
  const times = (await findTransfer(tx, userId as UserId, cause)) ? await countTransfers(tx, userId, cause) : 0;
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
export const beginPeriod = async (tx: Ctx, next: NewPeriod): Promise<Balance> => {
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
