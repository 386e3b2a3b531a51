import "server-only";
import { and, eq, isNull, lte, or, sql } from "drizzle-orm";
import { letters } from "#db/schema/letters.ts";
import type { Ctx } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { LetterId } from "#lib/core/ids.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { SENDING_LEASE_MS } from "./constants.ts";
import { renderLetter } from "./render-letter.ts";
import { type Letter, letterSchema } from "./schema.ts";

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
