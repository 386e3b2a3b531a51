import "server-only";
import { and, inArray, lte, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { emailOutbox } from "#db/schema/email.ts";
import { deleteInBatches, isAnyOf } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { creatorPathOf, creatorUrl } from "#lib/core/paths.ts";
import { formatCount } from "#lib/core/text.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { type EmailCopy, greeting, type SenderInfo } from "./policy.ts";
import type { EmailContent, WeeklySummary } from "./schema.ts";

type WeeklyResults = Extract<EmailContent, { kind: "weekly_results" }>;

const DAY = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" });

const dayText = (day: string): string => DAY.format(new Date(day));

const percent = (share: number): string => (share * 100).toFixed(1);

/** Below this many impressions, a percentage change would be misleading. */
const COMPARABLE_MIN = 100;

const compareWeeks = ({ impressions, impressionsBefore }: WeeklySummary): string => {
  if (impressionsBefore < COMPARABLE_MIN) return `${countText(impressionsBefore, "impression")} the week before.`;
  const change = Math.round((impressions / impressionsBefore - 1) * 100);
  if (change === 0) return "The same as the week before.";
  return `${formatCount(Math.abs(change))}% ${change > 0 ? "more" : "fewer"} than the week before.`;
};

const countText = (n: number, noun: string): string => `${formatCount(n)} ${noun}${n === 1 ? "" : "s"}`;

/** "At least" when metrics of some published pins are missing. */
const impressionsText = ({ impressions, counted, published }: WeeklySummary, productName: string): string =>
  `${counted < published ? "At least " : ""}${countText(impressions, "impression")} on your ${productName} pins`;

type Highlight = { name: string; detail: string };

const levelText = (level: number): string =>
  level === 1
    ? " One other keyword did about as well, so this one's lead may be due to chance."
    : ` ${formatCount(level)} other keywords did about as well, so this one's lead may be due to chance.`;

const keywordHighlight = ({ keyword }: WeeklySummary): Highlight => {
  if (!keyword)
    return { name: "Best keyword: too early to tell", detail: "No keyword has enough impressions and clicks yet." };
  const { label, days, rate, low, high, isSure, level } = keyword;
  const isShared = isSure && level > 0;
  const sureLabel = isShared ? "One of the best keywords" : "Best keyword";
  return {
    name: `${isSure ? sureLabel : "Leading keyword so far"}: ${label}`,
    detail: `Over ${days} days, ${percent(rate)}% of impressions led to an outbound click (likely between ${percent(low)}% and ${percent(high)}%).${isShared ? levelText(level) : ""}`,
  };
};

const highlightsOf = (week: WeeklySummary, productName: string): Highlight[] => {
  const { counted, published, pin } = week;
  return [
    {
      name: impressionsText(week, productName),
      detail:
        counted < published
          ? `Based on the ${countText(counted, "pin")} with metrics. ${compareWeeks(week)}`
          : compareWeeks(week),
    },
    keywordHighlight(week),
    ...(pin
      ? [
          {
            name: `${pin.outboundClicks > 0 ? "Best" : "Most viewed"} pin: ${pin.title}`,
            detail: `${countText(pin.outboundClicks, "outbound click")}, ${countText(pin.impressions, "impression")}.`,
          },
        ]
      : []),
  ];
};

const newPagesText = (pages: number): string => `${countText(pages, "new page")} on the sites you watch`;

const choiceText = (pages: number): string =>
  `${pages === 1 ? "Choose whether to make it a pin" : "Choose which ones to make into pins"}. Nothing is generated until you do.`;

const viewNewPages = (appUrl: string) => ({ label: "View new pages", link: `${appUrl}/app/pages` });

const newPagesList = (pages: number, appUrl: string): NonNullable<EmailCopy["lists"]>[number] => ({
  heading: "From your site",
  items: [{ name: newPagesText(pages), detail: choiceText(pages) }],
  action: viewNewPages(appUrl),
});

/** For users without results. */
const newPagesCopy = (firstName: string, pages: number, appUrl: string): EmailCopy => ({
  subject: newPagesText(pages),
  heading: "New pages on the sites you watch",
  paragraphs: [greeting(firstName), `We found ${newPagesText(pages)}. ${choiceText(pages)}`],
  action: viewNewPages(appUrl),
});

export const weeklyCopy = (
  { firstName, week, newPages = 0 }: WeeklyResults,
  { productName, appUrl }: SenderInfo,
): EmailCopy => {
  if (!week) return newPagesCopy(firstName, newPages, appUrl);
  const { keyword, counted, published } = week;
  const creatorPath = creatorPathOf(productName);
  const missing =
    counted < published
      ? ` We have metrics for ${formatCount(counted)} of your ${formatCount(published)} published pins.`
      : "";
  return {
    subject: `${impressionsText(week, productName)} last week`,
    heading: "Your week on Pinterest",
    paragraphs: [
      greeting(firstName),
      `Here's how the pins you published with ${productName} did from ${dayText(week.firstDay)} to ${dayText(week.lastDay)}.`,
    ],
    lists: [
      {
        heading: "Highlights",
        items: highlightsOf(week, productName),
        action: { label: "View analytics", link: `${appUrl}/app/analytics` },
      },
      ...(newPages > 0 ? [newPagesList(newPages, appUrl)] : []),
    ],
    action: keyword
      ? {
          label: `Create more pins like \u201c${keyword.label}\u201d`,
          link: `${appUrl}${creatorUrl(creatorPath, [keyword.label])}`,
        }
      : { label: "Create more pins", link: `${appUrl}${creatorPath}` },
    note: `Days are in UTC. The two most recent days aren't included because Pinterest is still counting.${missing}`,
  };
};

export const deleteUnsentWeeklyEmails = async (
  tx: Ctx,
  { accountIds }: { accountIds: readonly string[] },
): Promise<void> => {
  const owners = tx.db
    .select({ userId: pinterestAccounts.userId })
    .from(pinterestAccounts)
    .where(isAnyOf(pinterestAccounts.id, accountIds));
  await tx.db
    .delete(emailOutbox)
    .where(and(inArray(emailOutbox.userId, owners), sql`${emailOutbox.content} ->> 'kind' = 'weekly_results'`));
};

/** Deletes old weekly emails: they contain Pinterest metrics, which may be kept only for a limited time. */
export const purgeWeeklyEmails = (ctx: Ctx, now: Date): Promise<number> =>
  deleteInBatches(ctx.db, {
    table: emailOutbox,
    key: emailOutbox.id,
    where: and(
      lte(emailOutbox.createdAt, addMs(now, -ctx.settings.analyticsCacheHours * HOUR_MS)),
      sql`${emailOutbox.content} ->> 'kind' = 'weekly_results'`,
    ),
  });
