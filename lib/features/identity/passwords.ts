import "server-only";
import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { emailChanges, logins, passwordResets, users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { createBoundedQueue } from "#lib/core/concurrency.ts";
import { randomToken } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { EmailId, LoginId, UserId } from "#lib/core/ids.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { queueEmail, requestDelivery } from "#lib/features/email/delivery.ts";
import { recordConfirmation, requireConfirmation } from "./confirmation.ts";
import { browserProof } from "./device.ts";
import { refuseGuessable } from "./guessable.ts";
import { MESSAGES } from "./messages.ts";
import { hasPassword } from "./policy.ts";
import { findUser, type KeptLogin, type TokenVersions } from "./queries.ts";
import type { ChangePasswordInput, PasswordInput } from "./schema.ts";
import { recordSecurityEvent } from "./security-log.ts";

/** Each hash takes 64 MiB and a thread of Node's pool of four, which files need too. */
const HASHES_AT_ONCE = Math.min(3, availableParallelism());
/** About three seconds of work, so that bursts of sign-ins pass and floods do not pile up. */
const HASHES_WAITING_MAX = 32 * HASHES_AT_ONCE;
const HASH_WAIT_MAX_MS = 10 * SECOND_MS;
const BUSY_RETRY_SECONDS = 5;

// Next bundles modules once per layer; a global makes documented calls and forms share the queue.
const GLOBAL_KEY = Symbol.for("app.password-hashes");
const globalStore = globalThis as { [GLOBAL_KEY]?: ReturnType<typeof createBoundedQueue> };
globalStore[GLOBAL_KEY] ??= createBoundedQueue({
  atOnce: HASHES_AT_ONCE,
  waitingMax: HASHES_WAITING_MAX,
  waitMaxMs: HASH_WAIT_MAX_MS,
});
const hashes = globalStore[GLOBAL_KEY];

/** The error is made here: each layer has its own class of errors. */
const limitHashing = <R>(work: () => Promise<R>): Promise<R> =>
  hashes(work, () => new AppError("busy", { retryAfterSeconds: BUSY_RETRY_SECONDS }));

/** Argon2id: 64 MiB, three passes, four lanes, about 84 ms on one core. @throws AppError `busy` */
export const hashPassword = (password: string): Promise<string> =>
  limitHashing(() => hash(password.normalize("NFKC"), { memoryCost: 65_536, timeCost: 3, parallelism: 4 }));

/** Of an unknown password. */
const DECOY_HASH = "$argon2id$v=19$m=65536,t=3,p=4$HSVwme3KaMczMXD+aalccA$Qk3zA6y63lEScMKCy05rPFSd6L+ax7UKoFMuINguJGU";

/** Stored instead of a hash for users who never chose a password. Unique, because a change of it ends logins. */
export const withoutPassword = (): string => `!${randomToken()}`;

/** Without a stored hash it does the same work, so timing does not reveal who is registered. @throws AppError `busy` */
export const verifyPassword = async (password: string, stored: string | null): Promise<boolean> => {
  const isKnown = stored !== null && hasPassword({ passwordHash: stored });
  const matches = await limitHashing(() => verify(isKnown ? stored : DECOY_HASH, password.normalize("NFKC")));
  return isKnown && matches;
};

/** Allows sensitive changes in this login for a while. @throws AppError `invalid` for the field `password` */
export const confirmByPassword = async (ctx: Ctx, { password }: PasswordInput): Promise<void> => {
  const user = await findUser(ctx, requireUserId(ctx));
  if (!user) throw new AppError("unauthenticated");
  if (!(await verifyPassword(password, user.passwordHash))) {
    throw new AppError("invalid", { text: MESSAGES.wrongPassword, fields: { password: [MESSAGES.wrongPassword] } });
  }
  await recordConfirmation(ctx);
};

interface Replacement {
  userId: UserId;
  passwordHash: string;
  reason: "password_changed" | "password_reset";
  keepLoginId?: LoginId;
  /** The change fails unless this is still the stored hash. */
  expectedHash?: string;
  /** For the email. */
  hasRemovedAccess?: boolean;
}

/** Call it in a transaction; updating the user first makes logins wait. Null: no user, or `expectedHash` differs. */
export const replacePassword = async (
  tx: Ctx,
  { userId, passwordHash, reason, keepLoginId, expectedHash, hasRemovedAccess = false }: Replacement,
): Promise<{ endedLogins: number; emailId: EmailId } | null> => {
  const isPresent = and(
    eq(users.id, userId),
    isNull(users.closedAt),
    expectedHash === undefined ? undefined : eq(users.passwordHash, expectedHash),
  );
  const [user] = await tx.db.update(users).set({ passwordHash }).where(isPresent).returning();
  if (!user) return null;
  const isOther = and(
    eq(logins.userId, userId),
    isNull(logins.revokedAt),
    keepLoginId === undefined ? undefined : ne(logins.id, keepLoginId),
  );
  const ended = await tx.db.update(logins).set({ revokedAt: tx.now() }).where(isOther);
  await tx.db
    .update(passwordResets)
    .set({ usedAt: tx.now() })
    .where(and(eq(passwordResets.userId, userId), isNull(passwordResets.usedAt)));
  await tx.db
    .update(emailChanges)
    .set({ endedAt: tx.now() })
    .where(and(eq(emailChanges.userId, userId), isNull(emailChanges.endedAt)));
  await recordSecurityEvent(tx, { userId, kind: reason });
  const content = { kind: "password_changed" as const, firstName: user.firstName, hasRemovedAccess };
  return { endedLogins: ended.count, emailId: await queueEmail(tx, { userId, recipient: user.email, content }) };
};

/** Earlier cookies and tokens of the login are dead from now on. */
const renewTokens = async (tx: Ctx, loginId: LoginId): Promise<TokenVersions> => {
  const next = sql`coalesce(${logins.tokenVersion}, 0) + 1`;
  const [login] = await tx.db.update(logins).set({ tokenVersion: next }).where(eq(logins.id, loginId)).returning();
  return { version: login?.tokenVersion ?? 0, accessVersion: login?.accessVersion ?? 0 };
};

interface ChangedPassword extends KeptLogin {
  endedLogins: number;
}

/**
 * Ends other logins, and this one's tokens: the caller must hand out new ones (decision 15).
 * @throws AppError `confirm_identity`; `invalid` with the field; `wrong_state` after another change
 */
export const changePassword = async (ctx: Ctx<"jobs">, input: ChangePasswordInput): Promise<ChangedPassword> => {
  await requireConfirmation(ctx);
  const { actor } = ctx;
  const user = await findUser(ctx, requireUserId(ctx));
  if (actor.kind !== "user" || !user) throw new AppError("unauthenticated");
  refuseGuessable(input.newPassword, { ...user, productName: ctx.settings.productName, field: "newPassword" });
  const passwordHash = await hashPassword(input.newPassword);
  const { userId, loginId } = actor;
  const change = { userId, passwordHash, expectedHash: user.passwordHash, keepLoginId: loginId };
  const { tokens, ...replaced } = await inTransaction(ctx, async (tx) => {
    const done = await replacePassword(tx, { ...change, reason: "password_changed" });
    if (!done) throw new AppError("wrong_state");
    return { ...done, tokens: await renewTokens(tx, loginId) };
  });
  await requestDelivery(ctx, [replaced.emailId]);
  const knownBrowser = browserProof(ctx, { id: userId, passwordHash });
  return { endedLogins: replaced.endedLogins, userId, loginId, tokens, knownBrowser };
};
