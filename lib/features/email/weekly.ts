import "server-only";
import { and, inArray, lte, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { letters } from "#db/schema/email.ts";
import { deleteInBatches } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { creatorAddress, creatorPathOf } from "#lib/core/paths.ts";
import { formatCount } from "#lib/core/text.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import type { Sender, Words } from "./policy.ts";
import type { Letter, WeekTold } from "./schema.ts";

type WeeklyResults = Extract<Letter, { kind: "weekly_results" }>;

const DAY = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" });

/** A day in UTC as the screen writes it: 'Nov 15'. */
const dayText = (day: string): string => DAY.format(new Date(day));

const percent = (share: number): string => (share * 100).toFixed(1);

/** Below so many sightings a change in percent says more than there is. */
const COMPARABLE_MIN = 100;

const compareWeeks = ({ impressions, impressionsBefore }: WeekTold): string => {
  if (impressionsBefore < COMPARABLE_MIN) return `In the seven days before: ${formatCount(impressionsBefore)}.`;
  const change = Math.round((impressions / impressionsBefore - 1) * 100);
  if (change === 0) return "As many as in the seven days before.";
  return `${formatCount(Math.abs(change))}% ${change > 0 ? "more" : "fewer"} than in the seven days before.`;
};

const timesOf = (n: number): string => (n === 1 ? "once" : `${formatCount(n)} times`);

/** Of no more pins than were counted: those of this product, and at least as often where figures are missing. */
const viewsOf = ({ impressions, counted, published }: WeekTold, productName: string): string =>
  `${counted < published ? "At least " : ""}${formatCount(impressions)} ${impressions === 1 ? "view" : "views"} of your ${productName} pins`;

type Fact = { name: string; detail: string };

const levelText = (level: number): string =>
  level === 1
    ? " One other keyword is level with it: its lead over that one may be luck."
    : ` ${formatCount(level)} other keywords are level with it: its lead over those may be luck.`;

const keywordFact = ({ keyword }: WeekTold): Fact => {
  if (!keyword)
    return { name: "Best keyword: too early to tell", detail: "None was seen and clicked often enough yet." };
  const { label, days, rate, low, high, isSure, level } = keyword;
  const isShared = isSure && level > 0;
  const surely = isShared ? "Among the best keywords" : "Best keyword";
  return {
    name: `${isSure ? surely : "In front, and not yet sure"}: ${label}`,
    detail: `Over ${days} days, ${percent(rate)}% of views led to a click on the link. With the uncertainty counted in: ${percent(low)} to ${percent(high)}%.${isShared ? levelText(level) : ""}`,
  };
};

const factsOf = (week: WeekTold, productName: string): Fact[] => {
  const { counted, published, pin } = week;
  const clicks = pin && `${formatCount(pin.outboundClicks)} ${pin.outboundClicks === 1 ? "click" : "clicks"}`;
  return [
    {
      name: viewsOf(week, productName),
      detail:
        counted < published
          ? `That is of the ${counted === 1 ? "one pin" : `${formatCount(counted)} pins`} with figures. ${compareWeeks(week)}`
          : compareWeeks(week),
    },
    keywordFact(week),
    ...(pin
      ? [
          {
            name: `${pin.outboundClicks > 0 ? "Best" : "Most seen"} pin: ${pin.title}`,
            detail: `${clicks} on its link, seen ${timesOf(pin.impressions)}.`,
          },
        ]
      : []),
  ];
};

/** The words of the mail that tells of a week: three facts, and what to do next. */
export const writeWeek = ({ firstName, week }: WeeklyResults, { productName, appUrl }: Sender): Words => {
  const { keyword, counted, published } = week;
  const creatorPath = creatorPathOf(productName);
  const missing =
    counted < published
      ? ` There are figures of ${formatCount(counted)} of your ${formatCount(published)} published pins.`
      : "";
  return {
    subject: `${viewsOf(week, productName)} last week`,
    heading: "Your week on Pinterest",
    paragraphs: [
      `Hello ${firstName},`,
      `this is what the pins that you published with ${productName} did from ${dayText(week.firstDay)} to ${dayText(week.lastDay)}.`,
    ],
    lists: [
      {
        heading: "What happened",
        items: factsOf(week, productName),
        action: { label: "See all results", link: `${appUrl}/app/analytics` },
      },
    ],
    action: keyword
      ? {
          label: `Make more of \u201c${keyword.label}\u201d`,
          link: `${appUrl}${creatorAddress(creatorPath, [keyword.label])}`,
        }
      : { label: "Make more pins", link: `${appUrl}${creatorPath}` },
    note: `Pinterest counts in days of UTC, and the last two are not final yet.${missing}`,
  };
};

/** Deletes mails about a week that were not sent yet, of users of whom one of these accounts is removed. */
export const forgetWeeks = async (tx: Ctx, { accountIds }: { accountIds: readonly string[] }): Promise<void> => {
  const owners = tx.db
    .select({ userId: pinterestAccounts.userId })
    .from(pinterestAccounts)
    .where(inArray(pinterestAccounts.id, [...accountIds]));
  await tx.db
    .delete(letters)
    .where(and(inArray(letters.userId, owners), sql`${letters.content} ->> 'kind' = 'weekly_results'`));
};

/**
 * Deletes mails about somebody's week that no mail server has taken since figures of that age were deleted: they tell
 * Pinterest's figures, which are kept no longer anywhere (D8). @returns how many.
 */
export const retireWeeks = (ctx: Ctx, now: Date): Promise<number> =>
  deleteInBatches(ctx.db, {
    table: letters,
    key: letters.id,
    where: and(
      lte(letters.createdAt, addMs(now, -ctx.settings.analyticsCacheHours * HOUR_MS)),
      sql`${letters.content} ->> 'kind' = 'weekly_results'`,
    ),
  });
