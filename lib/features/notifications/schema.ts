import { z } from "zod";
import { MUTABLE_EMAILS, type MutableEmail } from "#lib/features/email/constants.ts";
import { TEXTS } from "./constants.ts";

export const switchEmailInput = z.object({ kind: z.enum(MUTABLE_EMAILS, TEXTS.kindInvalid), isOn: z.boolean() });
export type SwitchEmailInput = z.output<typeof switchEmailInput>;

const token = z.string(TEXTS.linkInvalid).min(1, TEXTS.linkInvalid).max(300, TEXTS.linkInvalid);

export const switchEmailsByLinkInput = z.object({ token, isOn: z.boolean() });
export type SwitchEmailsByLinkInput = z.output<typeof switchEmailsByLinkInput>;

export const unsubscribeInput = z.object({ token }).transform((raw) => ({ token: raw.token, isOn: false }));

export interface SwitchedEmails {
  kinds: MutableEmail[];
  isOn: boolean;
}
