import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { creditReservations } from "#db/schema/credits.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { EmailId, UserId } from "#lib/core/ids.ts";
import { rollAllowance } from "./allowance.ts";
import { lockBalance, type Movement, moveCredits, reclaimReturned } from "./ledger.ts";
import {
  affordableCount,
  availableOf,
  type Buckets,
  describePeriod,
  formatCredits,
  isAllowanceTaken,
  splitCost,
  usableBuckets,
} from "./policy.ts";
import { type Balance, findEmailStanding } from "./queries.ts";
import type { LeftOut } from "./schema.ts";

/** `reference` is unique forever: the id of a generation task. */
interface Lot {
  reference: string;
  costCredits: number;
}

/** `reserved`: how many lots, from the first. */
interface Reservation {
  reserved: number;
  availableCredits: number;
  emailIds: EmailId[];
  /** Why some lots were left out, if not only because the credits ran out. */
  leftOut?: LeftOut;
}

type Reserved = Lot & { fromAllowance: number; fromPurchased: number };

const divide = (buckets: Buckets, lots: readonly Lot[]): Reserved[] => {
  let left = buckets;
  return lots.map((lot) => {
    const split = splitCost(left, lot.costCredits);
    left = { allowance: left.allowance - split.fromAllowance, purchased: left.purchased - split.fromPurchased };
    return { ...lot, ...split };
  });
};

const toMovement = ({ reference, costCredits, fromAllowance, fromPurchased }: Reserved): Movement => ({
  kind: "reserve",
  cause: `reserve:${reference}`,
  lines: { allowance: -fromAllowance, purchased: -fromPurchased, held: costCredits },
});

const whyLeftOut = (
  balance: Balance,
  { reserved, affordable, requested }: Record<"reserved" | "affordable" | "requested", number>,
): Pick<Reservation, "leftOut"> => {
  if (reserved < affordable) return { leftOut: "email_unconfirmed" };
  return reserved < requested && isAllowanceTaken(balance) ? { leftOut: "allowance_taken" } : {};
};

/** The locked balance keeps concurrent calls from spending the same credit. */
export const reserveCredits = (ctx: Ctx, input: { userId: UserId; lots: readonly Lot[] }): Promise<Reservation> =>
  inTransaction(ctx, async (tx) => {
    const { userId, lots } = input;
    const balance = await rollAllowance(tx, await lockBalance(tx, userId));
    const available = availableOf(balance);
    const costs = lots.map(({ costCredits }) => costCredits);
    const usable = usableBuckets(balance, await findEmailStanding(tx, userId));
    const reserved = affordableCount(availableOf(usable), costs);
    const affordable = affordableCount(available, costs);
    const leftOut = whyLeftOut(balance, { reserved, affordable, requested: lots.length });
    if (reserved === 0) return { reserved: 0, availableCredits: available, emailIds: [], ...leftOut };
    const divided = divide(usable, lots.slice(0, reserved));
    // A repeated reference violates the primary key, which rolls everything back.
    await tx.db.insert(creditReservations).values(
      divided.map(({ reference, fromAllowance, fromPurchased }) => {
        return { reference, userId, fromAllowance, fromPurchased, period: balance.period, createdAt: tx.now() };
      }),
    );
    const moved = await moveCredits(tx, { balance, movements: divided.map(toMovement) });
    return { reserved, availableCredits: availableOf(moved.balance), emailIds: moved.emailIds, ...leftOut };
  });

type Outcome = "spend" | "release";

type SettleResult =
  | { kind: "settled"; outcome: Outcome; credits: number }
  | { kind: "already_settled"; outcome: Outcome | null };

const findReservation = async (tx: Ctx, reference: string): Promise<typeof creditReservations.$inferSelect> => {
  const [row] = await tx.db.select().from(creditReservations).where(eq(creditReservations.reference, reference));
  if (!row) throw new AppError("not_found");
  return row;
};

/** @throws AppError `not_found` for an unknown reference */
export const settleReservation = (ctx: Ctx, input: { reference: string; outcome: Outcome }): Promise<SettleResult> =>
  inTransaction(ctx, async (tx) => {
    const { reference, outcome } = input;
    const { userId } = await findReservation(tx, reference);
    const settled = await settleReservations(tx, { userId: userId, references: [reference], outcome });
    if (settled.references.length > 0) return { kind: "settled", outcome, credits: settled.credits };
    return { kind: "already_settled", outcome: (await findReservation(tx, reference)).outcome };
  });

type OpenReservation = typeof creditReservations.$inferSelect;
type SettledOutcome = "spend" | "release";

/** `period`: the current one. */
const toSettlementMovement = (reservation: OpenReservation, outcome: SettledOutcome, period: string): Movement => {
  const { reference, fromAllowance, fromPurchased } = reservation;
  const credits = fromAllowance + fromPurchased;
  const cause = `settle:${reference}`;
  if (outcome === "spend") return { kind: "spend", cause, lines: { held: -credits, spent: credits } };
  const returned = { held: -credits, purchased: fromPurchased };
  // Old rows have no period.
  if (fromAllowance === 0 || reservation.period === null || reservation.period === period)
    return { kind: "release", cause, lines: { ...returned, allowance: fromAllowance } };
  const note = `${formatCredits(fromAllowance)} from ${describePeriod(reservation.period)} expired.`;
  return { kind: "release", cause, note, lines: { ...returned, expired: fromAllowance } };
};

/**
 * Once each. Released allowance of an ended period expires, as it would have if it had not been reserved.
 * See {@link reclaimReturned}. Call it inside a transaction. @returns what was settled now
 */
export const settleReservations = async (
  tx: Ctx,
  input: { userId: UserId; references: readonly string[]; outcome: SettledOutcome },
): Promise<{ references: string[]; credits: number }> => {
  const { userId, references, outcome } = input;
  if (references.length === 0) return { references: [], credits: 0 };
  const locked = await lockBalance(tx, userId);
  const settled = await tx.db
    .update(creditReservations)
    .set({ settledAt: tx.now(), outcome })
    .where(
      and(
        eq(creditReservations.userId, userId),
        isAnyOf(creditReservations.reference, references),
        isNull(creditReservations.settledAt),
      ),
    )
    .returning();
  if (settled.length === 0) return { references: [], credits: 0 };
  // A new period starts first; otherwise its expiry would take the returned credits.
  const balance = outcome === "release" ? await rollAllowance(tx, locked) : locked;
  const reclaimed = outcome === "release" ? await reclaimReturned(tx, { balance, released: settled }) : [];
  await moveCredits(tx, {
    balance,
    movements: [...settled.map((item) => toSettlementMovement(item, outcome, balance.period)), ...reclaimed],
  });
  const credits = settled.reduce((sum, { fromAllowance, fromPurchased }) => sum + fromAllowance + fromPurchased, 0);
  return { references: settled.map(({ reference }) => reference), credits };
};
