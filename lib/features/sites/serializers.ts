import "server-only";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import type { ListedPage } from "./discovery.ts";
import { suggestKeyword, titleOfUrl } from "./policy.ts";
import type { Proposal } from "./proposals.ts";
import type { PinnedPage } from "./queries.ts";
import type { ProposalWire, SitePageWire, WatchWire } from "./schema.ts";
import type { Watch } from "./watches.ts";

export const toPageWire = (page: ListedPage, pinned: PinnedPage | undefined): SitePageWire => ({
  url: page.url,
  title: page.title ?? titleOfUrl(page.url),
  keyword: suggestKeyword(page),
  image_url: page.image,
  date: toIsoOrNull(page.date),
  pins: pinned?.pins ?? 0,
  last_published_at: toIsoOrNull(pinned?.lastPublishedAt ?? null),
  problem: page.problem ?? null,
});

export const toWatchWire = ({ id, address, name, checkedAt, problem }: Watch): WatchWire => ({
  ...{ id, address, name, problem },
  checked_at: toIso(checkedAt),
});

export const toProposalWire = (proposal: Proposal): ProposalWire => ({
  ...{ id: proposal.id, watch_id: proposal.watchId, url: proposal.url },
  ...{ title: proposal.title, keyword: proposal.keyword, image_url: proposal.imageUrl },
  date: toIsoOrNull(proposal.publishedAt),
});
