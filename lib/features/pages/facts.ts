import "server-only";
import { countBroken, isMisread, isOtherAlphabet } from "#lib/core/text.ts";
import { hostOf } from "#lib/features/links/policy.ts";
import { FACT_LIMITS } from "./constants.ts";
import { type Markup, readMarkup } from "./markup.ts";
import type { PageFacts } from "./schema.ts";
import { availabilityOf, readStructuredData } from "./structured-data.ts";
import { tidy, tidyList, tidyUrl } from "./tidy.ts";

/** Facts, or why the page can't be used: it is in another charset, has no text, asks to sign in, or shows a bot check. */
type PageContent = { kind: "read"; facts: PageFacts } | { kind: "charset" | "no_text" | "login" | "robot_check" };

const LANGUAGE = /^[a-z]{2,3}(-[a-z0-9]{1,8}){0,3}$/i;
const LANGUAGE_MAX = 35;

/** Main text shorter than this is a teaser; then all of the page's text counts. */
const MAIN_TEXT_MIN = 200;

const textOf = ({ text, mainText }: Markup): string => {
  const main = tidy(mainText, FACT_LIMITS.text) ?? "";
  return main.length >= MAIN_TEXT_MIN ? main : (tidy(text, FACT_LIMITS.text) ?? "");
};

/** By Open Graph, for shops without structured data or with gaps in it. */
const productOf = ({ metas }: Markup, title: string | null): PageFacts["product"] => {
  const amount = metas.get("product:price:amount") ?? metas.get("og:price:amount");
  const price = tidy(amount ?? "", 30);
  if (price === null) return null;
  const currency = tidy(metas.get("product:price:currency") ?? metas.get("og:price:currency") ?? "", 30);
  const brand = tidy(metas.get("product:brand") ?? "", FACT_LIMITS.name);
  const availability = availabilityOf(metas.get("product:availability") ?? metas.get("og:availability"));
  return { name: title, brand, price, highPrice: null, currency, availability };
};

const languageOf = ({ language, metas }: Markup): string | null => {
  const named = [language, metas.get("og:locale")?.replace("_", "-") ?? ""];
  return named.map((one) => one.trim()).find((one) => one.length <= LANGUAGE_MAX && LANGUAGE.test(one)) ?? null;
};

const toFacts = (markup: Markup, finalUrl: string): PageFacts => {
  const { metas } = markup;
  const base = tidyUrl(markup.base, finalUrl) ?? finalUrl;
  const firstOf = (max: number, ...values: (string | undefined)[]) =>
    values.map((value) => tidy(value ?? "", max)).find((text) => text !== null) ?? null;
  const title = firstOf(FACT_LIMITS.name, metas.get("og:title"), markup.title, markup.headings[0]);
  const openGraph = productOf(markup, title);
  const data = readStructuredData({ texts: markup.data, items: markup.items, openGraph, title });
  const { images, ...structured } = data;
  const candidates = [metas.get("og:image") ?? "", ...images, ...markup.images];
  return {
    host: hostOf(finalUrl),
    // Sites repeat the requested query here, which may be a secret.
    canonicalUrl: tidyUrl(markup.canonical, base)?.split("?")[0] ?? null,
    language: languageOf(markup),
    siteName: firstOf(FACT_LIMITS.name, metas.get("og:site_name")),
    title,
    description: firstOf(FACT_LIMITS.description, metas.get("description"), metas.get("og:description")),
    headings: tidyList(markup.headings, FACT_LIMITS.heading, FACT_LIMITS.headings),
    text: textOf(markup),
    ...structured,
    images: [...new Set(candidates.flatMap((image) => tidyUrl(image, base) ?? []))].slice(0, FACT_LIMITS.images),
  };
};

/** Pages with more text than this are what they seem to be. */
const WALL_TEXT_MAX = 1_500;
/** Pages of shops may have a sign-in form that only opens when it is asked for. */
const LOGIN_TEXT_MAX = 400;
/** A bot check identifies itself in its first characters. */
const ROBOT_TEXT_CHARS = 200;
/** Shorter text is a frame that scripts fill. */
const TEXT_MIN = 60;

const ROBOT_WORDS =
  /just a moment|attention required|verify(ing)? (that )?you are (a )?human|are you (a )?(robot|human)|not a robot|checking (your|if the site)|access (to this page has been )?denied|unusual traffic|pardon our interruption|security check(?! ?lists?\b)/i;

/** Said instead of the page by those that only scripts fill, and by others of a button. The end of a sentence may miss. */
const NEEDS_SCRIPTS =
  /[^.!?]{0,60}(?:(?:enable|activate|turn on|requires?|needs?) java ?script|java ?script (?:is|must be|has to be) (?:disabled|required|enabled|turned (?:on|off)))[^.!?]{0,120}/gi;
const NEEDS_SCRIPTS_TEXT_MAX = 400;

/** Whether a short page says little more than that it needs scripts. */
const needsScripts = (text: string): boolean => {
  if (text.length > NEEDS_SCRIPTS_TEXT_MAX) return false;
  const others = text.replaceAll(NEEDS_SCRIPTS, "");
  return others !== text && others.length < TEXT_MIN;
};

const wallOf = (markup: Markup, { title, text }: PageFacts): "login" | "robot_check" | "no_text" | null => {
  if (text.length > WALL_TEXT_MAX) return null;
  if (
    ROBOT_WORDS.test(`${title ?? ""} ${text.slice(0, ROBOT_TEXT_CHARS)}`) ||
    (markup.hasRobotCheck && text.length < TEXT_MIN)
  ) {
    return "robot_check";
  }
  if (markup.hasPassword && text.length <= LOGIN_TEXT_MAX) return "login";
  return needsScripts(text) ? "no_text" : null;
};

/** Takes bounded time on any input, and never throws. @param finalUrl an absolute URL, the base of relative ones */
export const readPageFacts = (html: string, finalUrl: string): PageContent => {
  const markup = readMarkup(html);
  // As a share of what people read, because markup and scripts are mostly ASCII in any character set. Half an emoji
  // that an entity names isn't misread.
  const visible = `${markup.title} ${markup.text}`;
  const broken = Math.min(countBroken(html), countBroken(visible));
  if (isMisread({ broken, chars: visible.length }) || isOtherAlphabet(visible)) return { kind: "charset" };
  const facts = toFacts(markup, finalUrl);
  const { recipe, product, article, howTo } = facts;
  // What a page says about itself for search engines counts, even if only scripts show it.
  if (recipe ?? product ?? article ?? howTo) return { kind: "read", facts };
  const wall = wallOf(markup, facts);
  if (wall) return { kind: wall };
  return facts.text.length < TEXT_MIN ? { kind: "no_text" } : { kind: "read", facts };
};
