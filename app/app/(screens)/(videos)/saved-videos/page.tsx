import type { Metadata } from "next";
import { listOf, type SavedQuery, savedParams } from "#components/videos/saved-query.ts";
import { SavedScreen } from "#components/videos/saved-screen.tsx";
import { SEARCH_MAX } from "#lib/core/text.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { HASHTAG_MAX } from "#lib/features/videos/constants.ts";
import { listSavedVideos } from "#lib/features/videos/saved-videos.ts";
import { listSavedVideosInput } from "#lib/features/videos/schema.ts";
import { toNextPath, toSavedVideos } from "#lib/features/videos/serializers.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Saved TikTok Videos" };

type SavedSearch = Partial<Record<"q" | "hashtag", string | string[]>>;
type PageProps = { searchParams: Promise<SavedSearch> };

/** Reads the query of the URL and ignores invalid values. */
const queryOf = ({ q, hashtag }: SavedSearch): SavedQuery => ({
  q: typeof q === "string" ? q.trim().slice(0, SEARCH_MAX) : "",
  hashtag: typeof hashtag === "string" ? hashtag.trim().slice(0, HASHTAG_MAX) : "",
});

export default async function SavedVideosPage({ searchParams }: PageProps) {
  const [ctx, search] = await Promise.all([pageContext(await requireUser()), searchParams]);
  const query = queryOf(search);
  const params = savedParams(query);
  const input = listSavedVideosInput.parse({ ...params, counts: "true", hashtags: "true" });
  const [page, accounts] = await Promise.all([listSavedVideos(ctx, input), findOwnedAccounts(ctx)]);
  const list = listOf(toSavedVideos(page), toNextPath(page, params));
  const isConnected = accounts.some(({ status }) => status === "connected");
  return <SavedScreen first={{ query, list }} creatorPath={isConnected ? product().creatorPath : null} />;
}
