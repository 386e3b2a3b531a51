import "server-only";
import { and, eq, gt, sql } from "drizzle-orm";
import { contactMessages } from "#db/schema/contact.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { LetterId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { announceLetters, postLetter } from "#lib/features/email/delivery.ts";
import { uniqueKey } from "#lib/features/identity/policy.ts";
import { COPIES_MAX, COPIES_WITHIN_MS, TEXTS } from "./policy.ts";
import type { ContactInput } from "./schema.ts";

/** Counted before the message is written, one message of an address at a time: whether it still gets a copy. */
const mayCopy = async (tx: Ctx, emailKey: string): Promise<boolean> => {
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`contact_copies:${emailKey}`}, 0))`);
  const since = addMs(tx.now(), -COPIES_WITHIN_MS);
  const { emailKey: sender, createdAt } = contactMessages;
  return (await tx.db.$count(contactMessages, and(eq(sender, emailKey), gt(createdAt, since)))) < COPIES_MAX;
};

const write = async (tx: Ctx, input: ContactInput): Promise<LetterId[]> => {
  const { name, email, subject, message } = input;
  const emailKey = uniqueKey(email);
  const isCopied = await mayCopy(tx, emailKey);
  await tx.db.insert(contactMessages).values({ id: tx.newId("message"), ...input, emailKey, createdAt: tx.now() });
  const toSupport = { kind: "contact_message" as const, name, email, subject, message };
  const letterIds = [await postLetter(tx, { userId: null, recipient: tx.settings.supportEmail, letter: toSupport })];
  if (isCopied) {
    const copy = { kind: "contact_copy" as const, name, subject, message };
    letterIds.push(await postLetter(tx, { userId: null, recipient: email, letter: copy }));
  }
  return letterIds;
};

/**
 * Takes a message for support (R-CONT-03): stored together with the mails that it becomes, one to support that answers
 * to the sender, and a copy to the sender. Durable functions send them, once each.
 */
export const sendMessage = async (ctx: Ctx<"jobs">, input: ContactInput): Promise<{ message: string }> => {
  const letterIds = await inTransaction(ctx, (tx) => write(tx, input));
  await announceLetters(ctx, letterIds);
  return { message: TEXTS.sent };
};
