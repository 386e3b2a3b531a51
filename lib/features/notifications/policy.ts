import { isId, type UserId } from "#lib/core/ids.ts";
import { DIGEST_KINDS, type DigestKind, MUTABLE_MAILS, type MutableMail } from "#lib/features/email/constants.ts";
import type { Letter } from "#lib/features/email/schema.ts";
import { NAMED_MAX } from "./constants.ts";

type Section = Extract<Letter, { kind: "digest" }>["sections"][number];

/** An entry as the table has it. */
interface Told {
  kind: DigestKind;
  subject: string;
  reason: string;
  occurredAt: Date;
}

/** What happened, by kind and in the order in which it happened; the first of each are named, all are counted. */
export const toSections = (entries: readonly Told[]): Section[] => {
  const inOrder = entries.toSorted((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime());
  return DIGEST_KINDS.flatMap((about) => {
    const own = inOrder.filter(({ kind }) => kind === about);
    const items = own.slice(0, NAMED_MAX).map(({ subject, reason }) => ({ subject, reason }));
    return own.length === 0 ? [] : [{ about, total: own.length, items }];
  });
};

/** What the link at the foot of a mail says: whose mails of which kinds, and the signature that shows it is ours. */
export interface OfferedLink {
  userId: UserId;
  kinds: MutableMail[];
  signature: string;
}

/** Takes such a link's last part asunder, `usr_….kind.kind.signature`; null when it is not one. Proves nothing. */
export const parseOffer = (token: string): OfferedLink | null => {
  const [userId, ...rest] = token.split(".");
  const signature = rest.pop();
  const kinds = MUTABLE_MAILS.filter((kind) => rest.includes(kind));
  const isWhole = isId("user", userId) && kinds.length > 0 && kinds.length === rest.length;
  return isWhole && signature ? { userId, kinds, signature } : null;
};
