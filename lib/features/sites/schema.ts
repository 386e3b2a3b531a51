import { z } from "zod";
import type { SiteKind } from "./constants.ts";
import { INPUT_MAX, SEARCH_MAX, TEXTS } from "./constants.ts";

/** A page as a feed, sitemap, or shop lists it. */
export interface PageEntry {
  url: string;
  /** Null where only the URL is known. */
  title: string | null;
  image: string | null;
  /** When it was published or changed, as the site says. */
  date: Date | null;
  tags: string[];
}

/** Why a site can't be read. `status`: of its refusal. */
export interface UnreadSite {
  kind: "unread";
  reason: string;
  status: number | null;
}

/** `address`: what was read in the end, to read or watch it again. */
export interface SiteListing {
  kind: "listed";
  site: SiteKind;
  address: string;
  name: string;
  entries: PageEntry[];
  /** The site has more than we read. */
  isCut: boolean;
}

export const readSiteInput = z.object({
  text: z.string(TEXTS.noAddress).trim().min(1, TEXTS.noAddress).max(INPUT_MAX, TEXTS.inputTooLong),
  /** Words that a page's title or URL must contain. */
  search: z.string().trim().max(SEARCH_MAX).default(""),
});
export type ReadSiteInput = z.output<typeof readSiteInput>;

const id = z.string().min(1).max(100);

export const watchSiteInput = readSiteInput.pick({ text: true });
export type WatchSiteInput = z.output<typeof watchSiteInput>;

export const watchInput = z.object({ watchId: id });
export type WatchInput = z.output<typeof watchInput>;

export const dismissInput = z.object({ proposalIds: z.array(id).min(1).max(500) });
export type DismissInput = z.output<typeof dismissInput>;

export const confirmRightsInput = z.object({ urls: z.array(z.url().max(2_048)).min(1).max(100) });
export type ConfirmRightsInput = z.output<typeof confirmRightsInput>;

export interface SitePageWire {
  url: string;
  title: string;
  keyword: string;
  image_url: string | null;
  /** ISO 8601; null when the site doesn't say. */
  date: string | null;
  /** The user's pins with this link, without deleted ones. */
  pins: number;
  last_published_at: string | null;
  /** Why the page can't be used; null when nothing speaks against it. */
  problem: string | null;
}

export interface SiteWire {
  kind: SiteKind;
  address: string;
  name: string;
  pages: SitePageWire[];
  total: number;
  is_cut: boolean;
}

export interface WatchWire {
  id: string;
  address: string;
  name: string;
  checked_at: string;
  problem: string | null;
}

export interface ProposalWire {
  id: string;
  watch_id: string;
  url: string;
  title: string;
  keyword: string;
  image_url: string | null;
  date: string | null;
}

export interface WatchesWire {
  watches: WatchWire[];
  proposals: ProposalWire[];
}
