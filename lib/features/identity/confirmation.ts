import "server-only";
import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { logins, users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { queueEmail, requestDelivery } from "#lib/features/email/delivery.ts";
import type { SignInChange } from "#lib/features/email/schema.ts";
import { CONFIRMATION_LIFETIME_MS } from "./constants.ts";
import { MESSAGES } from "./messages.ts";
import { findUser } from "./queries.ts";
import { recordSecurityEvent } from "./security-log.ts";

/**
 * For changes that could take an account over: the user must have proved who they are in this login within the last
 * minutes, by signing in or again (decision 34). @throws AppError `confirm_identity`
 */
export const requireConfirmation = async (ctx: Ctx): Promise<void> => {
  if (ctx.actor.kind !== "user") throw new AppError("unauthenticated");
  const since = sql`now() - make_interval(secs => ${CONFIRMATION_LIFETIME_MS / SECOND_MS})`;
  const [recent] = await ctx.db
    .select({ id: logins.id })
    .from(logins)
    .where(and(eq(logins.id, ctx.actor.loginId), isNull(logins.revokedAt), gt(logins.confirmedAt, since)));
  if (!recent) throw new AppError("confirm_identity");
};

/** For actions: a use case that also serves callers without a login, such as API keys with their own rights. */
export const withConfirmation =
  <C extends Ctx, I, O>(run: (ctx: C, input: I) => Promise<O>) =>
  async (ctx: C, input: I): Promise<O> => {
    await requireConfirmation(ctx);
    return run(ctx, input);
  };

/** The user has just proved who they are, by any of their ways to sign in. */
export const recordConfirmation = async (tx: Ctx): Promise<void> => {
  if (tx.actor.kind !== "user") throw new AppError("unauthenticated");
  await tx.db.update(logins).set({ confirmedAt: sql`now()` }).where(eq(logins.id, tx.actor.loginId));
};

/**
 * Before a user adds a way to sign in. Whoever registered with a foreign address must not have one that outlives its
 * owner's password reset. @throws AppError `confirm_identity`; `wrong_state` while the address is unconfirmed
 */
export const requireAddition = async (ctx: Ctx): Promise<void> => {
  await requireConfirmation(ctx);
  const user = await findUser(ctx, requireUserId(ctx));
  if (!user?.emailVerifiedAt) throw new AppError("wrong_state", { text: MESSAGES.confirmEmailFirst });
};

interface Changed<R> {
  result: R;
  event: { kind: SignInChange; detail?: string };
}

/**
 * Changes how the user can sign in, under the lock of their row. The security log and an email report it.
 * @throws AppError `confirm_identity`; `wrong_state` while the address is unconfirmed, unless something is removed
 */
export const changeSignIn = async <R>(
  ctx: Ctx<"jobs">,
  change: (tx: Ctx) => Promise<Changed<R>>,
  { isRemoval = false } = {},
): Promise<R> => {
  const userId = requireUserId(ctx);
  const { result, emailIds } = await inTransaction(ctx, async (tx) => {
    const isOpen = and(eq(users.id, userId), isNull(users.closedAt));
    const [user] = await tx.db.select().from(users).where(isOpen).for("no key update");
    if (!user) throw new AppError("unauthenticated");
    await (isRemoval ? requireConfirmation(tx) : requireAddition(tx));
    const done = await change(tx);
    const { kind, detail = "" } = done.event;
    await recordSecurityEvent(tx, { userId, kind, detail });
    if (!user.emailVerifiedAt) return { result: done.result, emailIds: [] };
    const content = { kind: "sign_in_changed" as const, firstName: user.firstName, change: kind, detail };
    return { result: done.result, emailIds: [await queueEmail(tx, { userId, recipient: user.email, content })] };
  });
  await requestDelivery(ctx, emailIds);
  return result;
};
