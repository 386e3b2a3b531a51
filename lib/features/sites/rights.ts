import "server-only";
import { eq } from "drizzle-orm";
import { imageRights } from "#db/schema/sites.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { siteOf } from "./policy.ts";
import type { ConfirmRightsInput } from "./schema.ts";

/** Sites whose images the user said they may use. */
export const findConfirmedSites = async (ctx: Ctx): Promise<string[]> => {
  const { site, userId } = imageRights;
  const rows = await ctx.db
    .select({ site })
    .from(imageRights)
    .where(eq(userId, requireUserId(ctx)))
    .orderBy(site);
  return rows.map((row) => row.site);
};

/** Records the user's word for the sites of these URLs; the first date stays. @returns all confirmed sites */
export const confirmImageRights = async (ctx: Ctx, { urls }: ConfirmRightsInput): Promise<string[]> => {
  const userId = requireUserId(ctx);
  const rows = [...new Set(urls.map(siteOf))].map((site) => ({ userId, site, confirmedAt: ctx.now() }));
  await ctx.db.insert(imageRights).values(rows).onConflictDoNothing();
  return findConfirmedSites(ctx);
};

/** @throws AppError `refused`, which names the sites, unless the user confirmed all of them */
export const requireImageRights = async (ctx: Ctx, urls: readonly string[]): Promise<void> => {
  if (urls.length === 0) return;
  const confirmed = new Set(await findConfirmedSites(ctx));
  const missing = [...new Set(urls.map(siteOf))].filter((site) => !confirmed.has(site));
  if (missing.length === 0) return;
  throw new AppError("refused", {
    text: `Confirm that you have the right to use images from ${missing.slice(0, 3).join(", ")}.`,
  });
};
