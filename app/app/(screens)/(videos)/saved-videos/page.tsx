import type { Metadata } from "next";
import { listOf, type SavedQuery, savedWords } from "#components/videos/saved-query.ts";
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

type Asked = Partial<Record<"q" | "hashtag", string | string[]>>;
type PageProps = { searchParams: Promise<Asked> };

/** What the address asks for; whatever it cannot ask for is as it goes without saying. */
const queryOf = ({ q, hashtag }: Asked): SavedQuery => ({
  q: typeof q === "string" ? q.trim().slice(0, SEARCH_MAX) : "",
  hashtag: typeof hashtag === "string" ? hashtag.trim().slice(0, HASHTAG_MAX) : "",
});

export default async function SavedVideosPage({ searchParams }: PageProps) {
  const [ctx, search] = await Promise.all([pageContext(await requireUser()), searchParams]);
  const query = queryOf(search);
  const words = savedWords(query);
  const input = listSavedVideosInput.parse({ ...words, counts: "true", hashtags: "true" });
  const [page, accounts] = await Promise.all([listSavedVideos(ctx, input), findOwnedAccounts(ctx)]);
  const list = listOf(toSavedVideos(page), toNextPath(page, words));
  const isConnected = accounts.some(({ status }) => status === "connected");
  return <SavedScreen first={{ query, list }} creatorPath={isConnected ? product().creatorPath : null} />;
}
