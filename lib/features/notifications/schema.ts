import { z } from "zod";
import { MUTABLE_MAILS, type MutableMail } from "#lib/features/email/constants.ts";
import { TEXTS } from "./constants.ts";

/** One kind of mail, and whether it is wanted. */
export const switchMailInput = z.object({ kind: z.enum(MUTABLE_MAILS, TEXTS.kindInvalid), isOn: z.boolean() });
export type SwitchMailInput = z.output<typeof switchMailInput>;

const token = z.string(TEXTS.linkInvalid).min(1, TEXTS.linkInvalid).max(300, TEXTS.linkInvalid);

/** The last part of a mail's link, and whether its kinds of mail are wanted. */
export const switchOfferedInput = z.object({ token, isOn: z.boolean() });
export type SwitchOfferedInput = z.output<typeof switchOfferedInput>;

/** POST /api/users/unsubscribe/:token/ */
export const unsubscribeInput = z.object({ token }).transform((raw) => ({ token: raw.token, isOn: false }));

/** What a link switched. */
export interface SwitchedMails {
  kinds: MutableMail[];
  isOn: boolean;
}
