import "server-only";
import { and, eq, gt, isNull, lt, sql } from "drizzle-orm";
import { authChallenges } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { randomToken, sha256 } from "#lib/core/crypto.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { CHALLENGE_ATTEMPTS_MAX, CHALLENGE_LIFETIME_MS } from "#lib/features/identity/constants.ts";

type ChallengeKind = (typeof authChallenges.$inferSelect)["kind"];

interface NewChallenge {
  kind: ChallengeKind;
  userId: UserId | null;
  challenge?: string;
}

/** @returns the token that its answer must bring */
export const openChallenge = async (
  ctx: Ctx,
  { kind, userId, challenge = "" }: NewChallenge,
): Promise<{ token: string; expiresAt: Date }> => {
  const token = randomToken();
  const [createdAt, expiresAt] = [ctx.now(), addMs(ctx.now(), CHALLENGE_LIFETIME_MS)];
  await ctx.db
    .insert(authChallenges)
    .values({ tokenHash: sha256(token), kind, userId, challenge, createdAt, expiresAt });
  return { token, expiresAt };
};

const isOpen = (ctx: Ctx, { token, kind }: { token: string; kind: ChallengeKind }) =>
  and(
    eq(authChallenges.tokenHash, sha256(token)),
    eq(authChallenges.kind, kind),
    isNull(authChallenges.usedAt),
    gt(authChallenges.expiresAt, ctx.now()),
  );

export type Challenge = Pick<typeof authChallenges.$inferSelect, "userId" | "challenge">;

/** Counts an attempt before its answer is checked, over all processes. Null: unknown, used, expired, or used up. */
export const attemptChallenge = async (
  ctx: Ctx,
  which: { token: string; kind: ChallengeKind },
): Promise<Challenge | null> => {
  const { userId, challenge, attempts } = authChallenges;
  const [found] = await ctx.db
    .update(authChallenges)
    .set({ attempts: sql`${attempts} + 1` })
    .where(and(isOpen(ctx, which), lt(attempts, CHALLENGE_ATTEMPTS_MAX)))
    .returning({ userId, challenge });
  return found ?? null;
};

/** Ends it after the right answer. False if another answer was first. */
export const endChallenge = async (tx: Ctx, which: { token: string; kind: ChallengeKind }): Promise<boolean> => {
  const used = await tx.db.update(authChallenges).set({ usedAt: tx.now() }).where(isOpen(tx, which));
  return used.count > 0;
};
