import "server-only";
import type { Ctx } from "#lib/context.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { lockUser } from "#lib/features/identity/lock-user.ts";
import { planAt } from "#lib/features/identity/policy.ts";
import { BASE_ORIGINS, CARD_ORIGIN, type HeldReason, RAISE_ORIGIN } from "./constants.ts";
import { holdPayment } from "./hold-payment.ts";
import { findFacts, type Payment } from "./queries.ts";
import { rereadItems } from "./reread-items.ts";
import { settleAdjustments } from "./settle-adjustments.ts";
import { settlePacks } from "./settle-packs.ts";
import { settlePlan } from "./settle-plan.ts";
import { sumPeriods } from "./sum-periods.ts";

const holdAll = async (tx: Ctx, userId: UserId, held: readonly Payment[], reason: HeldReason): Promise<LetterId[]> => {
  const letterIds: LetterId[] = [];
  for (const payment of held) letterIds.push(...(await holdPayment(tx, { userId, payment, reason })));
  return letterIds;
};

/** Money for nothing that we sell. A payment of nothing, by which a card is exchanged, is none. */
const isStrange = ({ kind, origin, totalMinor }: Payment): boolean =>
  kind === "other" && totalMinor > 0 && origin !== CARD_ORIGIN;

/** A plan's payment of a kind that neither begins a month nor raises one. Others may wait for news that they belong to. */
const isAstray = ({ kind, origin, totalMinor }: Payment): boolean =>
  kind === "plan" && totalMinor > 0 && origin !== RAISE_ORIGIN && !BASE_ORIGINS.includes(origin);

/**
 * Gives a user what follows from the stored facts about their payments, no more and no less: plan, allowance, packs,
 * what refunds take back. Called again it changes nothing, so facts may come in any order and repeatedly
 * (decision 0017). Call it in the transaction that stores the fact.
 * @returns reports to support, to be announced after the commit
 */
export const settleUser = async (tx: Ctx, { userId }: { userId: UserId }): Promise<LetterId[]> => {
  const user = await lockUser(tx, userId);
  if (!user) return [];
  const found = await findFacts(tx, userId);
  const facts = { ...found, payments: await rereadItems(tx, found.payments) };
  const open = facts.payments.filter(({ grantedAt }) => grantedAt === null);
  if (user.closedAt) {
    const paid = open.filter(({ totalMinor }) => totalMinor > 0);
    return holdAll(tx, userId, paid, "closed_user");
  }
  const periods = sumPeriods(facts);
  const letterIds = await settlePlan(tx, { userId, user, facts, periods });
  const givenPlan = periods.length === 0 ? planAt(user, tx.now()) : null;
  letterIds.push(...(await settlePacks(tx, { userId, facts, periods, givenPlan })));
  letterIds.push(...(await holdAll(tx, userId, open.filter(isStrange), "unknown_price")));
  letterIds.push(...(await holdAll(tx, userId, open.filter(isAstray), "unplaced")));
  if (facts.adjustments.length > 0) await settleAdjustments(tx, { userId });
  return letterIds;
};
