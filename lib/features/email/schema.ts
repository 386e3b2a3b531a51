import { z } from "zod";
import { isId, type LetterId } from "#lib/core/ids.ts";
import { DIGEST_KINDS } from "./constants.ts";

const text = z.string();

/** A link that is made when the mail is sent: the token at its end follows from `seed` and our secret, and is stored nowhere. */
const madeLink = z.object({ path: text, seed: text });

/** The link that switches such mails off: what it says, and the seed of its signature. */
const offered = z.object({ claim: text, seed: text });

/** Things of one kind that happened: the first of them by name, and how many there are in all. */
const digestSection = z.object({
  about: z.enum(DIGEST_KINDS),
  total: z.number().int().min(1),
  items: z.array(z.object({ subject: text, reason: text })),
});
export type DigestSection = z.output<typeof digestSection>;

const figure = z.number().int().min(0);
const share = z.number().min(0).max(1);

/** What somebody's published pins did in seven days in UTC, from the figures that are here. */
const weekTold = z.object({
  firstDay: text,
  lastDay: text,
  impressions: figure,
  /** In the seven days before. */
  impressionsBefore: figure,
  /** Of how many published pins there are figures. */
  counted: figure,
  published: figure,
  /** Over so many days; the rate of clicks on its links, and the ends of the 95 % interval. `isSure`: luck does not
   *  explain its lead over the other pins; `level`: but over so many keywords it may. Null: none is decided. */
  keyword: z
    .object({
      ...{ label: text, days: figure, rate: share, low: share, high: share },
      isSure: z.boolean().default(false),
      level: figure.default(0),
    })
    .nullable(),
  pin: z.object({ title: text, impressions: figure, outboundClicks: figure }).nullable(),
});
export type WeekTold = z.output<typeof weekTold>;

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
  z.object({
    kind: z.literal("credits_low"),
    firstName: text,
    availableCredits: z.number().int(),
    unsubscribe: offered.optional(),
  }),
  z.object({
    kind: z.literal("digest"),
    firstName: text,
    sections: z.array(digestSection).min(1),
    unsubscribe: offered,
  }),
  z.object({
    kind: z.literal("weekly_results"),
    firstName: text,
    week: weekTold,
    unsubscribe: offered,
  }),
  z.object({ kind: z.literal("payment_held"), subject: text, reason: text, user: text, amount: text }),
]);
export type Letter = z.output<typeof letterSchema>;

/** Data of the event that has a stored mail sent. */
export const letterPosted = z.object({ letterId: z.custom<LetterId>((value) => isId("letter", value)) });
