import "server-only";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { linkChecks } from "#db/schema/links.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { addMs } from "#lib/core/time.ts";
import { FORGOTTEN_FIRST_MS, HOST_PAUSE_MS, LOOKS_MAX, SECOND_LOOK_MS, UNSETTLED_STATES } from "./constants.ts";
import { judge, pacedBy } from "./policy.ts";
import { recordCheck } from "./record-check.ts";
import type { CheckRequested, LinkCheck } from "./schema.ts";
import { takePlace } from "./take-place.ts";

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

/** Says that a check which waits is alive, so that the sweep sends no other. */
const stayAlive = async (ctx: Ctx, urlHash: string): Promise<void> => {
  const wakeAt = addMs(await databaseTime(ctx), FORGOTTEN_FIRST_MS).toISOString();
  await ctx.db
    .update(linkChecks)
    .set({ wakeAt: sql`greatest(${linkChecks.wakeAt}, ${wakeAt}::timestamptz)` })
    .where(and(eq(linkChecks.urlHash, urlHash), isNotNull(linkChecks.wakeAt)));
};

const isUnsettled = ({ state }: LinkCheck): boolean => UNSETTLED_STATES.some((one) => one === state);

/**
 * Looks at an address and writes down what was found (R-SRV-08). A site that has had its share is asked later, also by
 * a redirect that leads there; a page
 * that did not answer is asked once more before anybody is told. Run twice it asks twice and writes once.
 */
export const checkLink = async (
  ctx: Ctx<"links">,
  { looks, ...request }: CheckRequested & { looks: number },
): Promise<CheckMove> => {
  const row = await findRequest(ctx, request);
  if (!row) return { kind: "done", state: "not_needed" };
  const { urlHash } = request;
  const turnComesLater = { kind: "later", afterMs: HOST_PAUSE_MS, looks } as const;
  if (!(await takePlace(ctx, { site: row.host, urlHash }))) return turnComesLater;
  const mayFollow = (to: string) => takePlace(ctx, { site: pacedBy(to), urlHash: null });
  const answer = await ctx.links.look(row.url, { mayFollow });
  if (answer.kind === "paced") {
    await stayAlive(ctx, urlHash);
    return turnComesLater;
  }
  const found = judge(row.url, answer);
  ctx.log.set({ link_state: found.state });
  if (isUnsettled(found) && looks + 1 < LOOKS_MAX) return { kind: "later", afterMs: SECOND_LOOK_MS, looks: looks + 1 };
  await recordCheck(ctx, { ...request, found });
  return { kind: "done", state: found.state };
};
