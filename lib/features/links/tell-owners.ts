import "server-only";
import { and, eq, inArray, ne } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addEntries } from "#lib/features/digests/add-entries.ts";
import { dropEntries } from "#lib/features/digests/drop-entries.ts";
import { ANSWERING_STATES, GONE_STATES, type LinkState } from "./constants.ts";
import { warningOf } from "./policy.ts";
import { isPinOf } from "./queries.ts";
import type { CheckRequested, LinkCheck } from "./schema.ts";

const isOneOf = (states: readonly LinkState[], state: LinkState): boolean => states.includes(state);

/** Whose drafts and scheduled pins lead there, each once; pins of a removed account are shown nowhere. */
const findOwners = async (tx: Ctx, url: string): Promise<UserId[]> => {
  const rows = await tx.db
    .selectDistinct({ userId: pins.userId })
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(and(isPinOf(url), inArray(pins.status, ["draft", "scheduled"]), ne(pinterestAccounts.status, "removed")))
    .orderBy(pins.userId);
  // Rows of this table hold the ids of users.
  return rows.map(({ userId }) => userId as UserId);
};

/** A look that has just been written down, and what was known before. */
interface Turn extends CheckRequested {
  url: string;
  before: LinkState;
  found: LinkCheck;
}

/**
 * Has the owners told by mail of a page that answered and no longer does (R-SRV-04): one thing to tell for each owner
 * and link, of however many pins. What was not mailed yet when it answers again is not told. In the look's transaction.
 */
export const tellOwners = async (tx: Ctx, { url, urlHash, requestedAt, before, found }: Turn): Promise<void> => {
  const [wasGone, isGone] = [isOneOf(GONE_STATES, before), isOneOf(GONE_STATES, found.state)];
  if (isGone && isOneOf(ANSWERING_STATES, before)) {
    const reason = warningOf(url, found) ?? "";
    const entry = { kind: "links_dead", about: urlHash, occasion: requestedAt, subject: url, reason } as const;
    const owners = await findOwners(tx, url);
    await addEntries(
      tx,
      owners.map((userId) => ({ ...entry, userId })),
    );
  } else if (wasGone && isOneOf(ANSWERING_STATES, found.state)) {
    await dropEntries(tx, { userIds: await findOwners(tx, url), kind: "links_dead", about: [urlHash] });
  }
};
