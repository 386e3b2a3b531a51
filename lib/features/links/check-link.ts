import "server-only";
import { and, eq, gt, isNotNull, sql } from "drizzle-orm";
import { linkChecks } from "#db/schema/links.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { addMs } from "#lib/core/time.ts";
import {
  FORGOTTEN_FIRST_MS,
  HOST_CHECKS_MAX,
  HOST_PAUSE_MS,
  HOST_WINDOW_MS,
  LOOKS_MAX,
  SECOND_LOOK_MS,
  UNSETTLED_STATES,
} from "./constants.ts";
import { judge } from "./policy.ts";
import { recordCheck } from "./record-check.ts";
import type { CheckRequested, LinkCheck } from "./schema.ts";

/** What follows: it is done, or the same again after a while. `looks`: how often the page was asked by then. */
export type CheckMove =
  | { kind: "done"; state: LinkCheck["state"] | "not_needed" }
  | { kind: "later"; afterMs: number; looks: number };

const findRequest = async (ctx: Ctx, { urlHash, requestedAt }: CheckRequested) => {
  const [row] = await ctx.db
    .select({ url: linkChecks.url, host: linkChecks.host })
    .from(linkChecks)
    .where(
      and(
        eq(linkChecks.urlHash, urlHash),
        eq(linkChecks.requestedAt, new Date(requestedAt)),
        isNotNull(linkChecks.wakeAt),
      ),
    );
  return row;
};

const lockHost = (tx: Ctx, host: string) =>
  tx.db.execute(sql`select pg_advisory_xact_lock(hashtext('link_host'), hashtext(${host}))`);

/**
 * Whether its host may be asked now, one caller of a host after the other. Whoever asks says so first, so that others
 * count it; whoever has to wait says that it is alive, so that the sweep sends no other.
 */
const takePlace = (ctx: Ctx, urlHash: string, host: string): Promise<boolean> =>
  inTransaction(ctx, async (tx) => {
    await lockHost(tx, host);
    const now = await databaseTime(tx);
    const isOfNow = and(eq(linkChecks.host, host), gt(linkChecks.askedAt, addMs(now, -HOST_WINDOW_MS)));
    const hasPlace = (await tx.db.$count(linkChecks, isOfNow)) < HOST_CHECKS_MAX;
    const wakeAt = addMs(now, FORGOTTEN_FIRST_MS).toISOString();
    await tx.db
      .update(linkChecks)
      .set(hasPlace ? { askedAt: now } : { wakeAt: sql`greatest(${linkChecks.wakeAt}, ${wakeAt}::timestamptz)` })
      .where(and(eq(linkChecks.urlHash, urlHash), isNotNull(linkChecks.wakeAt)));
    return hasPlace;
  });

const isUnsettled = ({ state }: LinkCheck): boolean => UNSETTLED_STATES.some((one) => one === state);

/**
 * Looks at an address and writes down what was found (R-SRV-08). A host that has had its share is asked later; a page
 * that did not answer is asked once more before anybody is told. Run twice it asks twice and writes once.
 */
export const checkLink = async (
  ctx: Ctx<"links">,
  { looks, ...request }: CheckRequested & { looks: number },
): Promise<CheckMove> => {
  const row = await findRequest(ctx, request);
  if (!row) return { kind: "done", state: "not_needed" };
  if (!(await takePlace(ctx, request.urlHash, row.host))) return { kind: "later", afterMs: HOST_PAUSE_MS, looks };
  const found = judge(row.url, await ctx.links.look(row.url));
  ctx.log.set({ link_state: found.state });
  if (isUnsettled(found) && looks + 1 < LOOKS_MAX) return { kind: "later", afterMs: SECOND_LOOK_MS, looks: looks + 1 };
  await recordCheck(ctx, { ...request, found });
  return { kind: "done", state: found.state };
};
