import "server-only";
import { and, eq, gt, isNull } from "drizzle-orm";
import { passwordResets, users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { sha256 } from "#lib/core/digest.ts";
import { addMs } from "#lib/core/time.ts";
import { makeToken } from "#lib/features/letters/make-token.ts";
import { RESET_LIFE_MS, RESET_LINKS_AT_ONCE, RESET_PATH, RESET_PAUSE_MS } from "./constants.ts";
import type { ResetRequested } from "./schema.ts";
import { sendMail } from "./send-mail.ts";

type Link = { userId: string; tokenHash: string };

/** Whether this link may go out: it is new or was not used yet, and others do not crowd it. */
const keepLink = (ctx: Ctx, { userId, tokenHash }: Link): Promise<boolean> =>
  inTransaction(ctx, async (tx) => {
    // One at a time for each user, so that the count holds.
    const [user] = await tx.db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.closedAt)))
      .for("no key update");
    if (!user) return false;
    const living = await tx.db
      .select({ tokenHash: passwordResets.tokenHash, createdAt: passwordResets.createdAt })
      .from(passwordResets)
      .where(
        and(eq(passwordResets.userId, userId), isNull(passwordResets.usedAt), gt(passwordResets.expiresAt, tx.now())),
      );
    if (living.some((link) => link.tokenHash === tokenHash)) return true;
    const pauseBegan = addMs(tx.now(), -RESET_PAUSE_MS);
    if (living.length >= RESET_LINKS_AT_ONCE && living.some((link) => link.createdAt > pauseBegan)) return false;
    const [createdAt, expiresAt] = [tx.now(), addMs(tx.now(), RESET_LIFE_MS)];
    const kept = await tx.db
      .insert(passwordResets)
      .values({ tokenHash, userId, createdAt, expiresAt })
      .onConflictDoNothing()
      .returning({ tokenHash: passwordResets.tokenHash });
    return kept.length > 0;
  });

/**
 * Sends the link for a new password to whoever has that address (R-FPW-03, R-RPW-09); to nobody, when nobody has. With
 * {@link RESET_LINKS_AT_ONCE} unused links about, the next waits until the newest is {@link RESET_PAUSE_MS} old: a
 * stranger can fill no inbox, and locks nobody out, since an owner who lost them all still gets one after the pause.
 * The token follows from the request, so that a step which runs twice sends the same link. @returns whether it was sent.
 */
export const sendReset = async (ctx: Ctx<"mail">, { sealedEmail, requestKey }: ResetRequested): Promise<boolean> => {
  const emailKey = ctx.sealer.open(sealedEmail);
  const [user] = await ctx.db
    .select()
    .from(users)
    .where(and(eq(users.emailKey, emailKey), isNull(users.closedAt)));
  if (!user) return false;
  const seed = `reset:${user.id}:${user.emailKey}:${requestKey}`;
  const tokenHash = sha256(makeToken(ctx, seed));
  if (!(await keepLink(ctx, { userId: user.id, tokenHash }))) return false;
  const link = { path: RESET_PATH, seed };
  const letter = { kind: "reset" as const, firstName: user.firstName, link };
  await sendMail(ctx, { to: user.email, letter, uniqueKey: `reset-${tokenHash.slice(0, 32)}` });
  return true;
};
