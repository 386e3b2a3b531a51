import { z } from "zod";
import { isId, type LetterId } from "#lib/core/ids.ts";

const text = z.string();

/** A link that is made when the mail is sent: the token at its end follows from `seed` and our secret, and is stored nowhere. */
const madeLink = z.object({ path: text, seed: text });

/** What a mail says, by its kind. Everything in it may come from a person and is written out as plain text. */
export const letterSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("verification"), firstName: text, link: madeLink }),
  z.object({ kind: z.literal("reset"), firstName: text, link: madeLink }),
  z.object({ kind: z.literal("password_changed"), firstName: text }),
  z.object({ kind: z.literal("email_change"), firstName: text, link: madeLink }),
  z.object({ kind: z.literal("email_change_asked"), firstName: text, newEmail: text }),
  z.object({ kind: z.literal("email_changed"), firstName: text, newEmail: text }),
  z.object({ kind: z.literal("contact_message"), name: text, email: text, subject: text, message: text }),
  z.object({ kind: z.literal("contact_copy"), name: text, subject: text, message: text }),
  z.object({ kind: z.literal("farewell"), firstName: text }),
]);
export type Letter = z.output<typeof letterSchema>;

/** Data of the event that has a stored mail sent. */
export const letterPosted = z.object({ letterId: z.custom<LetterId>((value) => isId("letter", value)) });
