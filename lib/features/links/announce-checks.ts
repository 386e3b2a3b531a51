import "server-only";
import { and, eq, inArray, isNotNull } from "drizzle-orm";
import { linkChecks } from "#db/schema/links.ts";
import type { Ctx } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import { toCheckEvent } from "./present.ts";
import { hashed, type LinkList } from "./queries.ts";

/** Events for those of the addresses that wait for their first try. */
const sendEvents = async (ctx: Ctx<"jobs">, urlHashes: string[]): Promise<void> => {
  const waiting = await ctx.db
    .select()
    .from(linkChecks)
    .where(and(inArray(linkChecks.urlHash, urlHashes), isNotNull(linkChecks.wakeAt), eq(linkChecks.sweeps, 0)));
  await ctx.jobs.send(waiting.map(toCheckEvent));
};

/**
 * Has addresses checked whose request was just committed. Never throws, for the pins are written: what fails here the
 * sweep makes good.
 */
export const announceChecks = async (ctx: Ctx<"jobs">, { links }: LinkList): Promise<void> => {
  const urlHashes = hashed(links).map(({ urlHash }) => urlHash);
  if (urlHashes.length === 0) return;
  try {
    await sendEvents(ctx, urlHashes);
  } catch (error) {
    ctx.log.set({ links_problem: messageOf(error) });
  }
};
