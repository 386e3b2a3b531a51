import { isId, type UserId } from "#lib/core/ids.ts";
import { DIGEST_KINDS, type DigestKind, MUTABLE_EMAILS, type MutableEmail } from "#lib/features/email/constants.ts";
import type { EmailContent } from "#lib/features/email/schema.ts";
import { DIGEST_ITEMS_MAX } from "./constants.ts";

type Section = Extract<EmailContent, { kind: "digest" }>["sections"][number];

interface Entry {
  kind: DigestKind;
  subject: string;
  reason: string;
  occurredAt: Date;
}

export const toSections = (entries: readonly Entry[]): Section[] => {
  const inOrder = entries.toSorted((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime());
  return DIGEST_KINDS.flatMap((about) => {
    const own = inOrder.filter(({ kind }) => kind === about);
    const items = own.slice(0, DIGEST_ITEMS_MAX).map(({ subject, reason }) => ({ subject, reason }));
    return own.length === 0 ? [] : [{ about, total: own.length, items }];
  });
};

/** The signature still has to be checked. */
interface UnsubscribeToken {
  userId: UserId;
  kinds: MutableEmail[];
  signature: string;
}

/** Not verified; null when malformed. */
export const parseUnsubscribeToken = (token: string): UnsubscribeToken | null => {
  const [userId, ...rest] = token.split(".");
  const signature = rest.pop();
  const kinds = MUTABLE_EMAILS.filter((kind) => rest.includes(kind));
  const isWhole = isId("user", userId) && kinds.length > 0 && kinds.length === rest.length;
  return isWhole && signature ? { userId, kinds, signature } : null;
};
