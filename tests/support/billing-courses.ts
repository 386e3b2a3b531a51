import { addMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { PLANS, type PlanSlug } from "#lib/features/billing/plans.ts";
import {
  type Buyer,
  firstMonth,
  monthFrom,
  type News,
  providerId,
  renewalOf,
  returnOf,
  saleOf,
  termOf,
} from "./billing.ts";
import { createRandom, type Random } from "./random.ts";

// What may happen to one buyer over some months, drawn by lot, and what it comes to. It shares no rule with the product.

interface Setting {
  now: Date;
  /** Records a purchase as the checkout does; returns its id. */
  record(buyer: Buyer, purchase: { kind: "pack"; plan: "growth"; at: Date }): Promise<string>;
}

/** What a buyer has at the end: the plan, and its credits where nothing of them was refunded. */
export interface Course {
  news: News[];
  plan: PlanSlug;
  allowance: number | null;
}

const SLUGS = ["basic", "growth", "pro"] as const;
type Paid = (typeof SLUGS)[number];

/** One subscription up to now. `ends`: after so many hours of its last month it gives nothing any more. */
interface Line {
  news: News[];
  plan: Paid;
  isRefunded: boolean;
  endsAt: Date | null;
}

/** A payment as it is told on its way: begun, paid, completed, and told again. */
const course = (who: Buyer, sale: Parameters<typeof saleOf>[1]): News[] => {
  const id = sale.id ?? providerId("txn");
  const at = (seconds: number) => addMs(sale.at, seconds * SECOND_MS);
  return [
    saleOf(who, { ...sale, id, status: "ready", at: at(-10) }),
    saleOf(who, { ...sale, id, status: "paid", at: at(-1) }),
    saleOf(who, { ...sale, id }),
  ];
};

/** Packs: at the free price, at that of a recorded purchase, at one that is not the buyer's, of nobody yet; some returned. */
const packsOf = async (who: Buyer, random: Random, { now, record }: Setting): Promise<News[]> => {
  const news: News[] = [];
  for (let n = random.below(4); n > 0; n -= 1) {
    const at = addMs(now, -(1 + random.below(20)) * DAY_MS - random.below(600) * MINUTE_MS);
    const kind = random.below(5);
    const name = kind === 0 ? "pro" : kind === 1 ? "growth" : "free";
    const hints = kind === 1 ? { purchase_ref: await record(who, { kind: "pack", plan: "growth", at }) } : undefined;
    const told = course(who, { items: [[`pack:${name}:300`, 1 + random.below(2)]], at, ...(hints && { hints }) });
    const [sale] = told.slice(-1);
    news.push(...told);
    if (!sale || random.below(3) > 0) continue;
    const back = (hours: number, action: string, totalMinor?: number) =>
      returnOf({ of: sale, at: addMs(at, hours * HOUR_MS), action, ...(totalMinor && { totalMinor }) });
    if (random.below(2) === 0) news.push(back(2, "refund", 400), back(3, "refund", 500));
    else news.push(back(2, "chargeback"), ...(random.below(2) === 0 ? [back(5, "chargeback_reverse")] : []));
  }
  return news;
};

/** The months of a subscription up to now: its first payment and the renewals, some refunded. */
const monthsOf = (who: Buyer, random: Random, { plan, from, now }: { plan: Paid; from: Date; now: Date }) => {
  const key = `plan:${plan}`;
  const { id, term, paid, period: first } = firstMonth(who, key, from);
  const news = [term, paid];
  let [period, isRefunded] = [first, false];
  while (period.to < now) {
    const renewed = renewalOf(who, { id, period }, key, random.below(3) === 0 ? null : undefined);
    period = monthFrom(period.to);
    news.push(renewed, termOf(who, { id, key, at: addMs(period.from, 2 * SECOND_MS), ...period, startedAt: from }));
    isRefunded = random.below(4) === 0;
    if (isRefunded) news.push(returnOf({ of: renewed, at: addMs(period.from, DAY_MS) }));
  }
  return { id, key, news, period, isRefunded };
};

/** Raised by none, one or two larger plans in the last month, some paid for twice. */
const raisesOf = (
  who: Buyer,
  random: Random,
  { id, plan, period }: { id: string; plan: Paid; period: { from: Date; to: Date } },
) => {
  const larger = SLUGS.slice(SLUGS.indexOf(plan) + 1).slice(0, random.below(3));
  const news = larger.flatMap((one, n) => {
    const at = addMs(period.from, (20 + 2 * n) * HOUR_MS);
    const raise = {
      origin: "subscription_update",
      subscriptionId: id,
      period: { from: at, to: period.to },
      totalMinor: 900,
    };
    const paid = () => course(who, { items: [[`plan:${one}`, 1]], at, ...raise });
    return [...paid(), ...(random.below(4) === 0 ? paid() : [])];
  });
  return { news, plan: larger.at(-1) ?? plan };
};

/** To be ended, kept after all, canceled, past due, paused, or nothing of it. */
const endingOf = (
  who: Buyer,
  random: Random,
  of: { id: string; key: string; from: Date; period: { from: Date; to: Date } },
) => {
  const { id, key, from, period } = of;
  const at = (hours: number) => addMs(period.from, hours * HOUR_MS);
  const told = (hours: number, more: { status?: string; scheduled?: { action: "cancel"; at: Date } }) =>
    termOf(who, { id, key, at: at(hours), ...period, startedAt: from, ...more });
  const scheduled = { action: "cancel" as const, at: period.to };
  switch (random.below(7)) {
    case 0:
      return { news: [told(30, { scheduled })], endsAt: null };
    case 1:
      return { news: [told(30, { scheduled }), told(31, {})], endsAt: null };
    case 2:
      return { news: [told(30, { scheduled }), told(32, { status: "canceled" })], endsAt: at(32) };
    case 3:
      return { news: [told(33, { status: "past_due" })], endsAt: null };
    case 4:
      return { news: [told(32, { status: "paused" })], endsAt: at(32) };
    case 5:
      return { news: [told(32, { status: "paused" }), told(36, {})], endsAt: null };
    default:
      return { news: [], endsAt: null };
  }
};

const lineOf = (who: Buyer, random: Random, { plan, from, now }: { plan: Paid; from: Date; now: Date }): Line => {
  const months = monthsOf(who, random, { plan, from, now });
  const raised = raisesOf(who, random, { ...months, plan });
  const key = `plan:${raised.plan}`;
  const changed = termOf(who, {
    id: months.id,
    key,
    at: addMs(months.period.from, 25 * HOUR_MS),
    ...months.period,
    startedAt: from,
  });
  const ending = endingOf(who, random, { ...months, key, from });
  const news = [...months.news, ...raised.news, changed, ...ending.news];
  return { news, plan: raised.plan, isRefunded: months.isRefunded, endsAt: ending.endsAt };
};

/** Paused two months ago, resumed two days ago: with a card that is declined again, or with the payment. */
const resumedOf = (who: Buyer, random: Random, now: Date): Line => {
  const plan = SLUGS[random.below(3)] ?? "basic";
  const key = `plan:${plan}`;
  const from = addMs(now, -(80 + random.below(9)) * DAY_MS);
  const { id, term, paid, period } = firstMonth(who, key, from);
  const again = monthFrom(addMs(now, -2 * DAY_MS));
  const told = (at: Date, status: string, of: { from: Date; to: Date }) =>
    termOf(who, { id, key, at, ...of, startedAt: from, status });
  const isPaid = random.below(2) === 0;
  const news = [term, paid, told(addMs(period.to, 5 * DAY_MS), "past_due", monthFrom(period.to))];
  news.push(told(addMs(period.to, 20 * DAY_MS), "paused", period), told(addMs(again.from, SECOND_MS), "active", again));
  if (isPaid) news.push(renewalOf(who, { id, period: { to: again.from } }, key));
  else news.push(told(addMs(again.from, MINUTE_MS), "past_due", again));
  return { news, plan, isRefunded: false, endsAt: isPaid ? null : period.to };
};

/** A second subscription that begins half a day or two days after the first, and is kept, canceled, or refunded as well. */
const secondOf = (who: Buyer, random: Random, { firstFrom, now }: { firstFrom: Date; now: Date }): Line => {
  const plan = SLUGS[random.below(3)] ?? "basic";
  const from = addMs(firstFrom, (random.below(2) === 0 ? 12 : 48) * HOUR_MS);
  const { id, key, news, period, isRefunded } = monthsOf(who, random, { plan, from, now });
  const endsAt = random.below(2) === 0 ? addMs(period.from, 18 * HOUR_MS) : null;
  if (endsAt) news.push(termOf(who, { id, key, at: endsAt, ...period, startedAt: from, status: "canceled" }));
  return { news, plan, isRefunded, endsAt };
};

const linesOf = (who: Buyer, random: Random, now: Date): Line[] => {
  const kind = random.below(8);
  if (kind === 0) return [];
  if (kind === 1) return [resumedOf(who, random, now)];
  const from = addMs(now, -(30 * random.below(3) + 4 + random.below(20)) * DAY_MS);
  const first = lineOf(who, random, { plan: SLUGS[random.below(2)] ?? "basic", from, now });
  return kind < 5 ? [first] : [first, secondOf(who, random, { firstFrom: from, now })];
};

/** A buyer's course by its number. The first subscription that goes on gives the plan. */
export const courseOf = async (who: Buyer, seed: number, setting: Setting): Promise<Course> => {
  const random = createRandom(seed);
  const { now } = setting;
  const bought = await packsOf(who, random, setting);
  const lines = linesOf(who, random, now);
  const unknown = { type: "customer.updated", data: { id: who.customerId }, at: addMs(now, -DAY_MS) };
  const giving = lines.find(({ endsAt }) => endsAt === null);
  const plan = giving?.plan ?? "free";
  const isKnown = giving ? !giving.isRefunded : lines.length === 0;
  const news = [...bought, ...lines.flatMap((line) => line.news), unknown];
  return { news, plan, allowance: isKnown ? PLANS[plan].creditsPerPeriod : null };
};
