import "server-only";
import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { contactMessages } from "#db/schema/contact.ts";
import { letters } from "#db/schema/letters.ts";
import { erasures } from "#db/schema/privacy.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { addMs } from "#lib/core/time.ts";
import { disconnectAll } from "#lib/features/accounts/disconnect-all.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { closeUser } from "#lib/features/identity/close-user.ts";
import { confirmPassword } from "#lib/features/identity/confirm-password.ts";
import type { PasswordInput } from "#lib/features/identity/schema.ts";
import { announceLetters } from "#lib/features/letters/announce-letters.ts";
import { postLetter } from "#lib/features/letters/post-letter.ts";
import { forgetFigures } from "#lib/features/results/forget-figures.ts";
import { PATIENCE_MS, SETTLE_MS } from "./constants.ts";

/** Whether an address in the database is that of a key, as `uniqueKey` makes them. */
const isOf = (address: SQL, emailKey: string): SQL => sql`lower(normalize(trim(${address}), NFKC)) = ${emailKey}`;

/** Messages to support that somebody wrote, and the mails they became where those still wait for a mail server. */
const deleteMessages = async (tx: Ctx, emailKey: string): Promise<void> => {
  await tx.db.delete(contactMessages).where(eq(contactMessages.emailKey, emailKey));
  const { content, recipient } = letters;
  const kind = sql`${content} ->> 'kind'`;
  const toSupport = and(sql`${kind} = 'contact_message'`, isOf(sql`${content} ->> 'email'`, emailKey));
  const copy = and(sql`${kind} = 'contact_copy'`, isOf(sql`${recipient}`, emailKey));
  await tx.db.delete(letters).where(and(isNull(letters.userId), or(toSupport, copy)));
};

/** All that must hold from this moment on, together or not at all. */
const leave = async (tx: Ctx, userId: UserId, passwordHash: string): Promise<LetterId> => {
  const person = await closeUser(tx, { userId, passwordHash });
  if (!person) throw new AppError("wrong_state");
  const accountIds = (await findOwnedAccounts(tx)).map(({ id }) => id);
  await disconnectAll(tx);
  await forgetFigures(tx, { accountIds });
  await tx.db.delete(letters).where(eq(letters.userId, userId));
  // Whoever did not confirm an address may have given somebody else's, whose messages these are.
  if (person.isEmailVerified) await deleteMessages(tx, person.emailKey);
  const requestedAt = tx.now();
  const wakeAt = addMs(requestedAt, PATIENCE_MS);
  await tx.db.insert(erasures).values({ userId, requestedAt, eraseAt: addMs(requestedAt, SETTLE_MS), wakeAt });
  const letter = { kind: "farewell" as const, firstName: person.firstName };
  // About nobody's account: it outlives this one until it is sent.
  return postLetter(tx, { userId: null, recipient: person.email, letter });
};

const announceErasure = async (ctx: Ctx<"jobs">, userId: UserId): Promise<void> => {
  try {
    await ctx.jobs.send([{ name: "privacy/erasure.requested", id: `erase:${userId}:0`, data: { userId } }]);
  } catch (error) {
    // The sweep sends it.
    ctx.log.set({ engine_problem: messageOf(error) });
  }
};

/**
 * Deletes the actor, who knows the password (QUALITY §2, row 30). At once: every login ends, tokens are erased, so that
 * no pin goes out any more, and nothing names the person. A durable function erases the rest ({@link eraseUser}).
 * @throws AppError `invalid` with the field; `wrong_state` when the password was changed meanwhile.
 */
export const deleteUser = async (ctx: Ctx<"jobs">, { password }: PasswordInput): Promise<void> => {
  const userId = requireUserId(ctx);
  const { passwordHash } = await confirmPassword(ctx, { password, field: "password" });
  const letterId = await inTransaction(ctx, (tx) => leave(tx, userId, passwordHash));
  await announceLetters(ctx, [letterId]);
  await announceErasure(ctx, userId);
};
