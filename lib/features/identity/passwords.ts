import "server-only";
import { hash, verify } from "@node-rs/argon2";
import { and, eq, isNull, ne } from "drizzle-orm";
import { emailChanges, logins, passwordResets, users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { LetterId, LoginId, UserId } from "#lib/core/ids.ts";
import { announceLetters, postLetter } from "#lib/features/email/delivery.ts";
import { ANSWERS } from "./answers.ts";
import { findUser } from "./queries.ts";
import type { ChangePasswordInput } from "./schema.ts";

const PLACES = 2;
let taken = 0;
const waiting: (() => void)[] = [];

/** Runs memory-hard work, two pieces at once: each takes 64 MiB, and a crowd must not stall the process. */
const queueHashing = async <R>(work: () => Promise<R>): Promise<R> => {
  if (taken < PLACES) taken += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    // A place is handed over, not freed and taken again: nobody slips in between.
    const next = waiting.shift();
    if (next) next();
    else taken -= 1;
  }
};

/** Argon2id (the package's default) of a password: 64 MiB, three passes, four lanes (D7). About 84 ms of one core. */
export const hashPassword = (password: string): Promise<string> =>
  queueHashing(() => hash(password.normalize("NFKC"), { memoryCost: 65_536, timeCost: 3, parallelism: 4 }));

/** A hash as {@link hashPassword} makes them, of a password that nobody knows. */
const DECOY = "$argon2id$v=19$m=65536,t=3,p=4$HSVwme3KaMczMXD+aalccA$Qk3zA6y63lEScMKCy05rPFSd6L+ax7UKoFMuINguJGU";

/**
 * Whether a password fits a stored hash. Without a hash (no such user) the same work is done and the answer is no,
 * so that time does not tell who is registered (QUALITY §2, row 4).
 */
export const verifyPassword = async (password: string, stored: string | null): Promise<boolean> => {
  const fits = await queueHashing(() => verify(stored ?? DECOY, password.normalize("NFKC")));
  return stored !== null && fits;
};

/**
 * Makes sure that whoever asks knows the actor's password, not only holds their login.
 * @throws AppError `invalid` under the field's name, `unauthenticated` when the user is gone. @returns the user.
 */
export const confirmPassword = async (
  ctx: Ctx,
  { password, field }: { password: string; field: string },
): Promise<typeof users.$inferSelect> => {
  const user = await findUser(ctx, requireUserId(ctx));
  if (!user) throw new AppError("unauthenticated");
  if (await verifyPassword(password, user.passwordHash)) return user;
  throw new AppError("invalid", { text: ANSWERS.wrongPassword, fields: { [field]: [ANSWERS.wrongPassword] } });
};

/** A new password's hash for a user. `keeps`: the one login that goes on. */
interface Replacement {
  userId: UserId;
  passwordHash: string;
  keeps?: LoginId;
  /** Refuses unless this is still the present hash. */
  instead?: string;
}

/**
 * Sets a password and ends what the old one opened: logins, links for a new password, changes of address that wait to be
 * confirmed (R-RPW-09). The user's row comes first: logins that are just being opened wait for it, or are ended here.
 * Belongs into a transaction. @returns null when there is no such user any more, or the present hash is another.
 */
export const replacePassword = async (
  tx: Ctx,
  { userId, passwordHash, keeps, instead }: Replacement,
): Promise<{ endedLogins: number; letterId: LetterId } | null> => {
  const isPresent = and(
    eq(users.id, userId),
    isNull(users.closedAt),
    instead === undefined ? undefined : eq(users.passwordHash, instead),
  );
  const [user] = await tx.db.update(users).set({ passwordHash }).where(isPresent).returning();
  if (!user) return null;
  const isOther = and(
    eq(logins.userId, userId),
    isNull(logins.revokedAt),
    keeps === undefined ? undefined : ne(logins.id, keeps),
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
  const letter = { kind: "password_changed" as const, firstName: user.firstName };
  return { endedLogins: ended.count, letterId: await postLetter(tx, { userId, recipient: user.email, letter }) };
};

/**
 * Changes the actor's password, who knows the present one. This login goes on (decision 15), the others end; the owner
 * is told by mail.
 * @throws AppError `invalid` with the field; `wrong_state` when the password was changed elsewhere meanwhile.
 */
export const changePassword = async (
  ctx: Ctx<"jobs">,
  input: ChangePasswordInput,
): Promise<{ endedLogins: number }> => {
  const { passwordHash: instead } = await confirmPassword(ctx, {
    password: input.currentPassword,
    field: "currentPassword",
  });
  const passwordHash = await hashPassword(input.newPassword);
  const keeps = ctx.actor.kind === "user" ? { keeps: ctx.actor.loginId } : {};
  const userId = requireUserId(ctx);
  const replaced = await inTransaction(ctx, (tx) => replacePassword(tx, { userId, passwordHash, instead, ...keeps }));
  if (!replaced) throw new AppError("wrong_state");
  await announceLetters(ctx, [replaced.letterId]);
  return { endedLogins: replaced.endedLogins };
};
