import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { LISTED_MAX } from "./constants.ts";
import { type ListedPage, readSite } from "./discovery.ts";
import { searchEntries, siteProblemText } from "./policy.ts";
import { findPinnedPages } from "./queries.ts";
import type { ReadSiteInput, SiteWire } from "./schema.ts";
import { toPageWire } from "./serializers.ts";

/**
 * The pages of a site, the newest first, with what the user's own pins did with them. Nothing is charged.
 * @throws AppError `refused` with the cause in its text when the site can't be read
 */
export const readSitePages = async (ctx: Ctx<"links">, { text, search }: ReadSiteInput): Promise<SiteWire> => {
  const found = await readSite(ctx, text);
  if (found.kind === "unread") throw new AppError("refused", { text: siteProblemText(found) });
  const { site, address, name, entries, isCut, isBlocked } = found;
  const matching = site === "list" ? entries : searchEntries(entries, search);
  const blocked = siteProblemText({ reason: "blocked", status: null });
  const shown = matching
    .slice(0, LISTED_MAX)
    .map((page: ListedPage) => (!page.problem && isBlocked(page.url) ? { ...page, problem: blocked } : page));
  const pinned = await findPinnedPages(
    ctx,
    shown.map(({ url }) => url),
  );
  return {
    ...{ kind: site, address, name, total: matching.length, is_cut: isCut },
    pages: shown.map((page) => toPageWire(page, pinned.get(page.url))),
  };
};
