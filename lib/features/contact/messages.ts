import "server-only";
import { and, eq, gt, sql } from "drizzle-orm";
import { contactMessages } from "#db/schema/contact.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { EmailId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { queueEmail, requestDelivery } from "#lib/features/email/delivery.ts";
import { uniqueKey } from "#lib/features/identity/policy.ts";
import { RECEIPTS_MAX, RECEIPTS_WITHIN_MS, TEXTS } from "./policy.ts";
import type { ContactInput } from "./schema.ts";

/** An advisory lock serializes messages from the same address. */
const mayAcknowledge = async (tx: Ctx, emailKey: string): Promise<boolean> => {
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`contact_copies:${emailKey}`}, 0))`);
  const since = addMs(tx.now(), -RECEIPTS_WITHIN_MS);
  const { emailKey: sender, createdAt } = contactMessages;
  return (await tx.db.$count(contactMessages, and(eq(sender, emailKey), gt(createdAt, since)))) < RECEIPTS_MAX;
};

const write = async (tx: Ctx, input: ContactInput): Promise<EmailId[]> => {
  const { name, email, subject, message } = input;
  const emailKey = uniqueKey(email);
  const isAcknowledged = await mayAcknowledge(tx, emailKey);
  await tx.db.insert(contactMessages).values({ id: tx.newId("message"), ...input, emailKey, createdAt: tx.now() });
  const toSupport = { kind: "contact_message" as const, name, email, subject, message };
  const emailIds = [await queueEmail(tx, { userId: null, recipient: tx.settings.supportEmail, content: toSupport })];
  if (isAcknowledged) {
    emailIds.push(await queueEmail(tx, { userId: null, recipient: email, content: { kind: "contact_copy" } }));
  }
  return emailIds;
};

export const sendMessage = async (ctx: Ctx<"jobs">, input: ContactInput): Promise<{ message: string }> => {
  const emailIds = await inTransaction(ctx, (tx) => write(tx, input));
  await requestDelivery(ctx, emailIds);
  return { message: TEXTS.sent };
};
