import "server-only";
import { eq } from "drizzle-orm";
import { payments } from "#db/schema/billing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { grantPurchase } from "#lib/features/credits/grant-purchase.ts";
import { lockUser } from "#lib/features/identity/lock-user.ts";
import { RELEASE_TEXTS } from "./constants.ts";
import type { Payment } from "./queries.ts";
import { settleUser } from "./settle-user.ts";

/** `give`: the credits of a held pack, or so many for one at a price that is not ours. `close`: it was refunded. */
export type Release = { transactionId: string } & ({ kind: "give"; credits: number | null } | { kind: "close" });

const refuse = (text: string): never => {
  throw new AppError("wrong_state", { text });
};

const findHeld = async (tx: Ctx, transactionId: string): Promise<Payment> => {
  const [payment] = await tx.db.select().from(payments).where(eq(payments.id, transactionId));
  if (!payment) throw new AppError("not_found", { text: RELEASE_TEXTS.unknown });
  return payment.heldReason === null || payment.grantedAt !== null ? refuse(RELEASE_TEXTS.notHeld) : payment;
};

/** A price that joined our table meanwhile: what follows from that comes first. */
const settleByTable = async (tx: Ctx, userId: UserId, payment: Payment): Promise<Payment> => {
  if (payment.kind !== "other") return payment;
  await settleUser(tx, { userId });
  const [settled] = await tx.db.select().from(payments).where(eq(payments.id, payment.id));
  return settled ?? payment;
};

const creditsOf = ({ kind, credits, heldReason }: Payment, wanted: number | null): number => {
  if (heldReason === "closed_user") return refuse(RELEASE_TEXTS.closedUser);
  if (kind === "plan") return refuse(RELEASE_TEXTS.plan);
  if (kind === "other") return wanted ?? refuse(RELEASE_TEXTS.howMany);
  return wanted === null || wanted === credits ? credits : refuse(RELEASE_TEXTS.fixed);
};

/**
 * Settles a held payment by an operator's word, for good: its credits are given under its own cause, so that nothing that
 * comes later gives them again and a refund finds them; or it is closed and gives nothing.
 * One at a price that has joined our table since gives what the table says.
 * @returns the credits that were given; 0 too for a plan, whose month gives them
 * @throws AppError `not_found`; `wrong_state` for one that is not held, or that credits cannot settle; `invalid` credits
 */
export const releasePayment = (ctx: Ctx, release: Release): Promise<{ credits: number }> =>
  inTransaction(ctx, async (tx) => {
    const { transactionId } = release;
    // The user first, as everywhere; the payment is read again once nobody else can settle it.
    const userId = (await findHeld(tx, transactionId)).userId as UserId | null;
    if (userId) await lockUser(tx, userId);
    const payment = await findHeld(tx, transactionId);
    const isPayment = eq(payments.id, transactionId);
    if (release.kind === "close") {
      // Its reason stays: it says why nothing was given, and keeps it out of what a user is entitled to.
      await tx.db.update(payments).set({ grantedAt: tx.now() }).where(isPayment);
      return { credits: 0 };
    }
    if (!userId || payment.userId !== userId) return refuse(RELEASE_TEXTS.nobody);
    const settled = await settleByTable(tx, userId, payment);
    if (settled.grantedAt) return { credits: settled.kind === "plan" ? 0 : creditsOf(settled, release.credits) };
    const credits = creditsOf(settled, release.credits);
    await grantPurchase(tx, { userId, transactionId, credits, note: "" });
    const given = { kind: "pack" as const, credits, grantedAt: tx.now(), heldReason: null };
    await tx.db.update(payments).set(given).where(isPayment);
    // What was refunded of it meanwhile waited for it.
    await settleUser(tx, { userId });
    return { credits };
  });
