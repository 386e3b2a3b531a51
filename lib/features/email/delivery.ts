import "server-only";
import { and, asc, eq, inArray, isNull, lte, or, sql } from "drizzle-orm";
import { letters } from "#db/schema/email.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { FORGOTTEN_FIRST_MS, FORGOTTEN_LONGEST_MS, SENDING_LEASE_MS, SWEEP_BATCH } from "./constants.ts";
import { renderLetter } from "./rendering.ts";
import { type Letter, letterSchema } from "./schema.ts";

/** A mail to be sent. `userId`: whose account it is about, so that it goes when that account does. */
interface Posting {
  userId: UserId | null;
  recipient: string;
  letter: Letter;
}

/**
 * Writes a mail down, in the transaction that gives rise to it: it is sent if that commits, and only then. Afterwards
 * the caller has it announced; the sweep does that for whoever died in between.
 */
export const postLetter = async (tx: Ctx, { userId, recipient, letter }: Posting): Promise<LetterId> => {
  const id = tx.newId("letter");
  const createdAt = tx.now();
  const wakeAt = addMs(createdAt, FORGOTTEN_FIRST_MS);
  await tx.db.insert(letters).values({ id, userId, recipient, content: letter, createdAt, wakeAt });
  return id;
};

type Row = typeof letters.$inferSelect;

/** One at a time sends a mail; by the database's clock, so that workers agree. */
const claim = async (ctx: Ctx, letterId: LetterId): Promise<Row | undefined> => {
  const [row] = await ctx.db
    .update(letters)
    .set({ claimedUntil: sql`now() + make_interval(secs => ${SENDING_LEASE_MS / SECOND_MS})` })
    .where(and(eq(letters.id, letterId), or(isNull(letters.claimedUntil), lte(letters.claimedUntil, sql`now()`))))
    .returning();
  return row;
};

const replyToOf = (letter: Letter) =>
  letter.kind === "contact_message" ? { replyTo: { name: letter.name, address: letter.email } } : {};

/**
 * Sends a stored mail and deletes it. Run again it finds it gone; whoever dies between the two sends it once more, under
 * the same Message-ID. `not_needed`: it was sent, or somebody is sending it.
 * @throws when the mail server does not take it; it may be claimed again at once.
 */
export const deliverLetter = async (
  ctx: Ctx<"mail">,
  { letterId }: { letterId: LetterId },
): Promise<"sent" | "not_needed"> => {
  const row = await claim(ctx, letterId);
  if (!row) return "not_needed";
  const letter = letterSchema.parse(row.content);
  ctx.log.set({ letter: letter.kind });
  try {
    const mail = { ...renderLetter(ctx, letter), ...replyToOf(letter), uniqueKey: letterId };
    await ctx.mail.send({ ...mail, to: row.recipient });
  } catch (error) {
    ctx.log.set({ mail_problem: messageOf(error) });
    await ctx.db.update(letters).set({ claimedUntil: null }).where(eq(letters.id, letterId));
    throw error;
  }
  await ctx.db.delete(letters).where(eq(letters.id, letterId));
  return "sent";
};

/** Has mails sent that were just committed. An engine that does not answer is no error: the sweep comes by. */
export const announceLetters = async (ctx: Ctx<"jobs">, letterIds: readonly LetterId[]): Promise<void> => {
  const events = letterIds.map((letterId) => ({
    name: "letters/letter.posted" as const,
    id: `letter:${letterId}:0`,
    data: { letterId },
  }));
  try {
    await ctx.jobs.send(events);
  } catch (error) {
    ctx.log.set({ engine_problem: messageOf(error) });
  }
};

const takeForgotten = async (tx: Ctx): Promise<{ id: string; sweeps: number }[]> => {
  const forgotten = tx.db
    .select({ id: letters.id })
    .from(letters)
    .where(lte(letters.wakeAt, tx.now()))
    .orderBy(asc(letters.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  const pauseSeconds = sql`least(${FORGOTTEN_LONGEST_MS / SECOND_MS},
    ${FORGOTTEN_FIRST_MS / SECOND_MS} * power(2, least(${letters.sweeps}, 20) + 1))`;
  return tx.db
    .update(letters)
    .set({ sweeps: sql`${letters.sweeps} + 1`, wakeAt: sql`now() + make_interval(secs => ${pauseSeconds})` })
    .where(inArray(letters.id, forgotten))
    .returning({ id: letters.id, sweeps: letters.sweeps });
};

/**
 * Sends a new event for each mail that nobody has sent after a while (DESIGN §5.6). Whoever is sending it after all
 * keeps it: only one can have it in hand. @returns how many.
 * @throws when the engine does not take the events; they are due again after their pause.
 */
export const sweepLetters = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, takeForgotten);
  await ctx.jobs.send(
    swept.map(({ id, sweeps }) => ({
      name: "letters/letter.posted" as const,
      id: `letter:${id}:${sweeps}`,
      data: { letterId: id },
    })),
  );
  ctx.log.set({ letters_swept: swept.length });
  return { sent: swept.length };
};
