import "server-only";
import { and, inArray, type SQL, sql } from "drizzle-orm";
import { linkChecks } from "#db/schema/links.ts";
import type { Ctx } from "#lib/context.ts";
import { addMs } from "#lib/core/time.ts";
import { FORGOTTEN_FIRST_MS } from "./constants.ts";
import { pacedBy } from "./policy.ts";
import { hashed, isAskableAgain, isOldCheck, type LinkList } from "./queries.ts";

type Hashed = ReturnType<typeof hashed>;

/** Without those that need no check. A read first: the write below would lock the row of every address. */
const leaveOutFresh = async (tx: Ctx, asked: Hashed, isDue: SQL | undefined): Promise<Hashed> => {
  if (asked.length === 0) return [];
  const hashes = asked.map(({ urlHash }) => urlHash);
  const fresh = await tx.db
    .select({ urlHash: linkChecks.urlHash })
    .from(linkChecks)
    .where(and(inArray(linkChecks.urlHash, hashes), sql`${isDue} is not true`));
  const known = new Set(fresh.map(({ urlHash }) => urlHash));
  return asked.filter(({ urlHash }) => !known.has(urlHash));
};

/**
 * Asks that addresses be checked, in the transaction that writes the pins which lead there; afterwards the caller has
 * them announced. What was found within a day, and what is being checked, is left alone; an earlier verdict stays until
 * the new one. `isAgain`: somebody wants to know anew, so only what was found this moment is left alone.
 */
export const requestChecks = async (
  tx: Ctx,
  { links, isAgain = false }: LinkList & { isAgain?: boolean },
): Promise<void> => {
  const now = tx.now();
  const isDue = isAgain ? isAskableAgain(now) : isOldCheck(now);
  const asked = await leaveOutFresh(tx, hashed(links), isDue);
  if (asked.length === 0) return;
  const due = { requestedAt: now, wakeAt: addMs(now, FORGOTTEN_FIRST_MS), sweeps: 0 };
  const rows = asked.map((one) => ({ ...one, ...due, host: pacedBy(one.url), state: "pending" as const }));
  await tx.db
    .insert(linkChecks)
    .values(rows)
    .onConflictDoUpdate({
      target: linkChecks.urlHash,
      set: {
        host: sql`excluded.host`,
        requestedAt: sql`excluded.requested_at`,
        wakeAt: sql`excluded.wake_at`,
        sweeps: 0,
      },
      setWhere: isDue,
    });
};
