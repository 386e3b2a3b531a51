import "server-only";
import { and, asc, eq, inArray, isNull, lte, or, sql } from "drizzle-orm";
import { emailOutbox } from "#db/schema/email.ts";
import { users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { EmailId, UserId } from "#lib/core/ids.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { SENDING_LEASE_MS, STALLED_FIRST_MS, STALLED_MAX_MS, SWEEP_BATCH } from "./constants.ts";
import { renderEmail } from "./rendering.ts";
import { type EmailContent, emailContent } from "./schema.ts";

/** The email is deleted with the account `userId`. */
interface OutgoingEmail {
  userId: UserId | null;
  recipient: string;
  content: EmailContent;
}

/** In the caller's transaction, so it is sent only if that commits. Call {@link requestDelivery} after the commit. */
export const queueEmail = async (tx: Ctx, { userId, recipient, content }: OutgoingEmail): Promise<EmailId> => {
  const id = tx.newId("email");
  const createdAt = tx.now();
  const wakeAt = addMs(createdAt, STALLED_FIRST_MS);
  await tx.db.insert(emailOutbox).values({ id, userId, recipient, content, createdAt, wakeAt });
  return id;
};

type Row = typeof emailOutbox.$inferSelect;

/** On the database's clock, so that workers agree. */
const claim = async (ctx: Ctx, emailId: EmailId): Promise<Row | undefined> => {
  const [row] = await ctx.db
    .update(emailOutbox)
    .set({ claimedUntil: sql`now() + make_interval(secs => ${SENDING_LEASE_MS / SECOND_MS})` })
    .where(
      and(eq(emailOutbox.id, emailId), or(isNull(emailOutbox.claimedUntil), lte(emailOutbox.claimedUntil, sql`now()`))),
    )
    .returning();
  return row;
};

const replyToOf = (content: EmailContent) =>
  content.kind === "contact_message" ? { replyTo: { name: content.name, address: content.email } } : {};

/** An address that its user has not confirmed may be a stranger's, so it gets nothing that the user typed. */
const withoutTypedText = async (ctx: Ctx, { userId, recipient }: Row, content: EmailContent): Promise<EmailContent> => {
  if (userId === null || !("firstName" in content)) return content;
  const isUnconfirmed = and(eq(users.id, userId), eq(users.email, recipient), isNull(users.emailVerifiedAt));
  if ((await ctx.db.$count(users, isUnconfirmed)) === 0) return content;
  return {
    ...content,
    firstName: "",
    ...("newEmail" in content && { newEmail: "" }),
    ...("url" in content && { url: "" }),
  };
};

/** A crash sends it again with the same Message-ID. @throws when the mail server rejects it; it can be retried then */
export const deliverEmail = async (
  ctx: Ctx<"email">,
  { emailId }: { emailId: EmailId },
): Promise<"sent" | "not_needed"> => {
  const row = await claim(ctx, emailId);
  if (!row) return "not_needed";
  const content = await withoutTypedText(ctx, row, emailContent.parse(row.content));
  ctx.log.set({ email_kind: content.kind });
  try {
    const email = { ...renderEmail(ctx, content), ...replyToOf(content), uniqueKey: emailId };
    await ctx.email.send({ ...email, to: row.recipient });
  } catch (error) {
    ctx.log.set({ email_problem: messageOf(error) });
    await ctx.db.update(emailOutbox).set({ claimedUntil: null }).where(eq(emailOutbox.id, emailId));
    throw error;
  }
  await ctx.db.delete(emailOutbox).where(eq(emailOutbox.id, emailId));
  return "sent";
};

/** Failures are only logged, because the sweep retries them. */
export const requestDelivery = async (ctx: Ctx<"jobs">, emailIds: readonly EmailId[]): Promise<void> => {
  const events = emailIds.map((emailId) => ({
    name: "email/email.queued" as const,
    id: `email:${emailId}:0`,
    data: { emailId },
  }));
  try {
    await ctx.jobs.send(events);
  } catch (error) {
    ctx.log.set({ engine_problem: messageOf(error) });
  }
};

const claimStalledEmails = async (tx: Ctx): Promise<{ id: string; sweeps: number }[]> => {
  const stalled = tx.db
    .select({ id: emailOutbox.id })
    .from(emailOutbox)
    .where(lte(emailOutbox.wakeAt, tx.now()))
    .orderBy(asc(emailOutbox.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  const pauseSeconds = sql`least(${STALLED_MAX_MS / SECOND_MS},
    ${STALLED_FIRST_MS / SECOND_MS} * power(2, least(${emailOutbox.sweeps}, 20) + 1))`;
  return tx.db
    .update(emailOutbox)
    .set({ sweeps: sql`${emailOutbox.sweeps} + 1`, wakeAt: sql`now() + make_interval(secs => ${pauseSeconds})` })
    .where(inArray(emailOutbox.id, stalled))
    .returning({ id: emailOutbox.id, sweeps: emailOutbox.sweeps });
};

/** The lease prevents double sending. @throws when the engine rejects the events; they become due again later */
export const sweepOutbox = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, claimStalledEmails);
  await ctx.jobs.send(
    swept.map(({ id, sweeps }) => ({
      name: "email/email.queued" as const,
      id: `email:${id}:${sweeps}`,
      data: { emailId: id },
    })),
  );
  ctx.log.set({ emails_swept: swept.length });
  return { sent: swept.length };
};
