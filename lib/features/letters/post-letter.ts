import "server-only";
import { letters } from "#db/schema/letters.ts";
import type { Ctx } from "#lib/context.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { FORGOTTEN_FIRST_MS } from "./constants.ts";
import type { Letter } from "./schema.ts";

/** A mail to be sent. `userId`: whose account it is about, so that it goes when that account does. */
export interface Posting {
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
