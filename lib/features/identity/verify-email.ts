import "server-only";
import { and, eq, gt, isNull } from "drizzle-orm";
import { emailVerifications, users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { sha256 } from "#lib/core/digest.ts";
import type { VerifyEmailInput } from "./schema.ts";

export type VerifyEmailOutcome = { kind: "verified" } | { kind: "invalid_link" };

/**
 * Marks the address of a verification link as confirmed. Single use; the second use of a used link fails. The
 * user's row is locked before the link's, as wherever both are written.
 */
export const verifyEmail = (ctx: Ctx, input: VerifyEmailInput): Promise<VerifyEmailOutcome> =>
  inTransaction(ctx, async (tx) => {
    const isLiving = and(
      eq(emailVerifications.tokenHash, sha256(input.token)),
      isNull(emailVerifications.usedAt),
      gt(emailVerifications.expiresAt, tx.now()),
    );
    const [link] = await tx.db.select().from(emailVerifications).where(isLiving);
    if (!link) return { kind: "invalid_link" };
    await tx.db.select({ id: users.id }).from(users).where(eq(users.id, link.userId)).for("no key update");
    const used = await tx.db.update(emailVerifications).set({ usedAt: tx.now() }).where(isLiving);
    if (used.count === 0) return { kind: "invalid_link" };
    const verified = await tx.db
      .update(users)
      .set({ emailVerifiedAt: tx.now() })
      .where(and(eq(users.id, link.userId), eq(users.emailKey, link.emailKey)))
      .returning({ id: users.id });
    return verified.length > 0 ? { kind: "verified" } : { kind: "invalid_link" };
  });
