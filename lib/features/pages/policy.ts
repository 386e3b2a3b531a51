import { formatCount } from "#lib/core/text.ts";
import type { UNREAD_REASONS } from "./constants.ts";
import type { PageFacts, PageReading, PageSummary, PageWire, TakenFact, UnreadPage } from "./schema.ts";

export type UnreadReason = (typeof UNREAD_REASONS)[number];

const REASON_TEXTS: Record<Exclude<UnreadReason, "status">, string> = {
  charset: "The page's text doesn't match its declared character encoding, so we can't read it.",
  no_text: "The page's text appears only with JavaScript, so we can't read it.",
  login: "The page asks visitors to sign in.",
  robot_check: "The site asked us to prove that we're human, so we couldn't read the page.",
  too_large: "The page is larger than 5 MB.",
  not_page: "There's no web page at this URL. Use the URL of a page.",
  too_many_redirects: "The URL redirects too many times.",
  no_host: "There is no site at this URL. Check it for typos.",
  no_answer: "The site didn't respond in time.",
  untrusted: "The site's certificate isn't valid.",
  refused: "The URL isn't public.",
  no_route: "Our server can't reach this site.",
  offline: "Our server is offline right now.",
  busy: "We've read many pages on this site recently. Try again in a few minutes.",
  blocked: "The site's robots.txt doesn't allow apps like ours to read this page.",
  robots_unread: "We couldn't read the site's robots.txt, so we didn't read its pages. Try again in a few minutes.",
};

const statusText = (status: number): string => {
  if (status === 401) return REASON_TEXTS.login;
  if (status === 404 || status === 410) return `The page doesn't exist (${status}).`;
  if (status === 429) return "The site received too many requests (429). Try again later.";
  return status >= 500
    ? `The site returned an error (${status}).`
    : `The site refused to show us the page (${status}).`;
};

const isReason = (reason: string): reason is keyof typeof REASON_TEXTS => reason in REASON_TEXTS;

/** Why a page was not used, in one sentence for its user. */
export const unreadText = ({ reason, status }: Pick<UnreadPage, "reason" | "status">): string => {
  if (status !== null) return statusText(status);
  return isReason(reason) ? REASON_TEXTS[reason] : "We couldn't read the page.";
};

/** `1 h 30 min`. */
export const durationText = (minutes: number): string => {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 && `${hours} h`, (rest > 0 || hours === 0) && `${rest} min`].filter(Boolean).join(" ");
};

const TAKEN_CHARS = 160;

const shown = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max).toWellFormed().trimEnd()}…`;

const priceText = ({ price, highPrice, currency }: NonNullable<PageFacts["product"]>): string | null =>
  price && [highPrice ? `${price} to ${highPrice}` : price, currency].filter(Boolean).join(" ");

const productText = (product: PageFacts["product"]): string | null =>
  product &&
  ([product.name, product.brand, priceText(product), product.availability].filter(Boolean).join(", ") || null);

const LIST_CHARS = 400;

const listText = (items: readonly string[] | undefined, separator: string): string | null =>
  items && items.length > 0 ? `${formatCount(items.length)}: ${items.join(separator)}` : null;

const LISTS = new Set(["Ingredients", "Steps"]);

/** What was taken from a page, for people, most telling first. */
export const takenFrom = (facts: PageFacts): TakenFact[] => {
  const { recipe, article, howTo } = facts;
  const minutes = recipe?.totalMinutes ?? null;
  const rows: [string, string | null | undefined][] = [
    ["Title", facts.title],
    ["Product", productText(facts.product)],
    ["Recipe", recipe?.name],
    ["Ingredients", listText(recipe?.ingredients, "; ")],
    ["Total time", minutes === null ? null : durationText(minutes)],
    ["Yield", recipe?.yield],
    ["Instructions", howTo?.name],
    ["Steps", listText(recipe?.steps ?? howTo?.steps, " ")],
    ["Author", article?.author],
    ["Page URL", facts.canonicalUrl],
    ["Description", facts.description],
    ["Text", facts.text || null],
  ];
  return rows.flatMap(([label, value]) =>
    value ? [{ label, value: shown(value, LISTS.has(label) ? LIST_CHARS : TAKEN_CHARS) }] : [],
  );
};

export const summaryOf = (reading: PageReading): PageSummary =>
  reading.kind === "read" ? { kind: "read", taken: takenFrom(reading.facts) } : reading;

export const toPageWire = (summary: PageSummary): PageWire =>
  summary.kind === "read" ? { taken: summary.taken, problem: null } : { taken: [], problem: unreadText(summary) };
