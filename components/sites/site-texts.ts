import { countOf, formatCount } from "#lib/core/text.ts";
import { formatDate } from "#lib/core/time.ts";
import { KIND_LABELS } from "#lib/features/sites/constants.ts";
import type { SitePageWire, SiteWire } from "#lib/features/sites/schema.ts";

/** A page that can become a keyword row: of a site, or a proposed one. */
export type PageRow = SitePageWire;

const UTC = "UTC";

export const dateText = (iso: string | null): string => (iso === null ? "–" : formatDate(iso, UTC));

/** 'Nov 20, 2026 (3 pins)', '2 drafts or scheduled pins', 'Not yet'. */
export const pinnedText = ({ pins, last_published_at }: PageRow): string => {
  if (pins === 0) return "Not yet";
  if (last_published_at === null) return `${countOf(pins, "pin")}, not published`;
  return `${dateText(last_published_at)} (${countOf(pins, "pin")})`;
};

/** 'WordPress: 240 pages', with what was left out. */
export const foundText = ({ kind, total, pages, is_cut }: SiteWire): string => {
  const found = `${KIND_LABELS[kind]}: ${is_cut ? "at least " : ""}${countOf(total, "page")}`;
  return pages.length < total ? `${found}, showing the newest ${formatCount(pages.length)}` : found;
};
