import { addMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { PLANS, type PlanSlug } from "#lib/features/billing/plans.ts";
import {
  type Buyer,
  firstMonth,
  monthFrom,
  type ProviderEvent,
  providerId,
  renewalOf,
  returnOf,
  saleOf,
  termOf,
} from "./billing.ts";
import { createRandom, type Random } from "./random.ts";

// Random scenarios of one buyer over some months and their expected results. Shares no rule with the product.

interface Setting {
  now: Date;
  /** Records a purchase as the checkout does; returns its id. */
  record(buyer: Buyer, purchase: { kind: "pack"; plan: "growth"; at: Date }): Promise<string>;
}

/** The buyer's final plan, and its credits if nothing was refunded. */
export interface Scenario {
  events: ProviderEvent[];
  plan: PlanSlug;
  allowance: number | null;
}

const SLUGS = ["basic", "growth", "pro"] as const;
type Paid = (typeof SLUGS)[number];

/** One subscription so far. `ends`: hours into its last month after which it grants nothing. */
interface Line {
  events: ProviderEvent[];
  /** What its last period grants, without refunds. */
  credits: number;
  plan: Paid;
  isRefunded: boolean;
  endsAt: Date | null;
}

/** The reports of a payment: started, paid, completed, and repeated. */
const transactionReports = (who: Buyer, sale: Parameters<typeof saleOf>[1]): ProviderEvent[] => {
  const id = sale.id ?? providerId("txn");
  const at = (seconds: number) => addMs(sale.at, seconds * SECOND_MS);
  return [
    saleOf(who, { ...sale, id, status: "ready", at: at(-10) }),
    saleOf(who, { ...sale, id, status: "paid", at: at(-1) }),
    saleOf(who, { ...sale, id }),
  ];
};

/** Packs at the free price, at a recorded purchase's, at another plan's, and without an owner yet; some refunded. */
const packsOf = async (who: Buyer, random: Random, { now, record }: Setting): Promise<ProviderEvent[]> => {
  const events: ProviderEvent[] = [];
  for (let n = random.below(4); n > 0; n -= 1) {
    const at = addMs(now, -(1 + random.below(20)) * DAY_MS - random.below(600) * MINUTE_MS);
    const kind = random.below(5);
    const name = kind === 0 ? "pro" : kind === 1 ? "growth" : "free";
    const hints = kind === 1 ? { purchase_ref: await record(who, { kind: "pack", plan: "growth", at }) } : undefined;
    const reports = transactionReports(who, {
      items: [[`pack:${name}:300`, 1 + random.below(2)]],
      at,
      ...(hints && { hints }),
    });
    const [sale] = reports.slice(-1);
    events.push(...reports);
    if (!sale || random.below(3) > 0) continue;
    const back = (hours: number, action: string, totalMinor?: number) =>
      returnOf({ of: sale, at: addMs(at, hours * HOUR_MS), action, ...(totalMinor && { totalMinor }) });
    if (random.below(2) === 0) events.push(back(2, "refund", 400), back(3, "refund", 500));
    else events.push(back(2, "chargeback"), ...(random.below(2) === 0 ? [back(5, "chargeback_reverse")] : []));
  }
  return events;
};

/** A subscription's months so far: first payment and renewals, some refunded. */
const monthsOf = (who: Buyer, random: Random, { plan, from, now }: { plan: Paid; from: Date; now: Date }) => {
  const key = `plan:${plan}`;
  const { id, term, paid, period: first } = firstMonth(who, key, from);
  const events = [term, paid];
  let [period, isRefunded] = [first, false];
  while (period.to < now) {
    const renewed = renewalOf(who, { id, period }, key, random.below(3) === 0 ? null : undefined);
    period = monthFrom(period.to);
    events.push(renewed, termOf(who, { id, key, at: addMs(period.from, 2 * SECOND_MS), ...period, startedAt: from }));
    isRefunded = random.below(4) === 0;
    if (isRefunded) events.push(returnOf({ of: renewed, at: addMs(period.from, DAY_MS) }));
  }
  return { id, key, events, period, isRefunded };
};

/** Zero to two upgrades in the last month, some paid twice. */
const raisesOf = (
  who: Buyer,
  random: Random,
  { id, plan, period }: { id: string; plan: Paid; period: { from: Date; to: Date } },
) => {
  const larger = SLUGS.slice(SLUGS.indexOf(plan) + 1).slice(0, random.below(3));
  const events = larger.flatMap((one, n) => {
    const at = addMs(period.from, (20 + 2 * n) * HOUR_MS);
    const raise = {
      origin: "subscription_update",
      subscriptionId: id,
      period: { from: at, to: period.to },
      totalMinor: 900,
    };
    const paid = () => transactionReports(who, { items: [[`plan:${one}`, 1]], at, ...raise });
    return [...paid(), ...(random.below(4) === 0 ? paid() : [])];
  });
  const hoursIn = (period.to.getTime() - period.from.getTime()) / HOUR_MS;
  const levels = [plan, ...larger].map((one) => PLANS[one].creditsPerPeriod);
  const added = levels.slice(1).map((level, n) => ((level - (levels[n] ?? 0)) * (hoursIn - 20 - 2 * n)) / hoursIn);
  const credits = added.reduce((sum, share) => sum + Math.ceil(share), levels[0] ?? 0);
  return { events, plan: larger.at(-1) ?? plan, credits };
};

/** Ending, kept after all, canceled, past due, paused, or unchanged. */
const endingOf = (
  who: Buyer,
  random: Random,
  of: { id: string; key: string; from: Date; period: { from: Date; to: Date } },
) => {
  const { id, key, from, period } = of;
  const at = (hours: number) => addMs(period.from, hours * HOUR_MS);
  const reports = (hours: number, more: { status?: string; scheduled?: { action: "cancel"; at: Date } }) =>
    termOf(who, { id, key, at: at(hours), ...period, startedAt: from, ...more });
  const scheduled = { action: "cancel" as const, at: period.to };
  switch (random.below(7)) {
    case 0:
      return { events: [reports(30, { scheduled })], endsAt: null };
    case 1:
      return { events: [reports(30, { scheduled }), reports(31, {})], endsAt: null };
    case 2:
      return { events: [reports(30, { scheduled }), reports(32, { status: "canceled" })], endsAt: at(32) };
    case 3:
      return { events: [reports(33, { status: "past_due" })], endsAt: null };
    case 4:
      return { events: [reports(32, { status: "paused" })], endsAt: at(32) };
    case 5:
      return { events: [reports(32, { status: "paused" }), reports(36, {})], endsAt: null };
    default:
      return { events: [], endsAt: null };
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
  const events = [...months.events, ...raised.events, changed, ...ending.events];
  const { plan: endPlan, credits } = raised;
  return { events, plan: endPlan, credits, isRefunded: months.isRefunded, endsAt: ending.endsAt };
};

/** Paused two months ago and resumed two days ago, with a card that is declined again or with a payment. */
const resumedOf = (who: Buyer, random: Random, now: Date): Line => {
  const plan = SLUGS[random.below(3)] ?? "basic";
  const key = `plan:${plan}`;
  const from = addMs(now, -(80 + random.below(9)) * DAY_MS);
  const { id, term, paid, period } = firstMonth(who, key, from);
  const again = monthFrom(addMs(now, -2 * DAY_MS));
  const reports = (at: Date, status: string, of: { from: Date; to: Date }) =>
    termOf(who, { id, key, at, ...of, startedAt: from, status });
  const isPaid = random.below(2) === 0;
  const events = [term, paid, reports(addMs(period.to, 5 * DAY_MS), "past_due", monthFrom(period.to))];
  events.push(
    reports(addMs(period.to, 20 * DAY_MS), "paused", period),
    reports(addMs(again.from, SECOND_MS), "active", again),
  );
  if (isPaid) events.push(renewalOf(who, { id, period: { to: again.from } }, key));
  else events.push(reports(addMs(again.from, MINUTE_MS), "past_due", again));
  const credits = PLANS[plan].creditsPerPeriod;
  return { events, plan, credits, isRefunded: false, endsAt: isPaid ? null : period.to };
};

/** A second subscription, half a day or two days later, that is kept, canceled or refunded. */
const secondOf = (who: Buyer, random: Random, { firstFrom, now }: { firstFrom: Date; now: Date }): Line => {
  const plan = SLUGS[random.below(3)] ?? "basic";
  const from = addMs(firstFrom, (random.below(2) === 0 ? 12 : 48) * HOUR_MS);
  const { id, key, events, period, isRefunded } = monthsOf(who, random, { plan, from, now });
  const endsAt = random.below(2) === 0 ? addMs(period.from, 18 * HOUR_MS) : null;
  if (endsAt) events.push(termOf(who, { id, key, at: endsAt, ...period, startedAt: from, status: "canceled" }));
  return { events, plan, credits: PLANS[plan].creditsPerPeriod, isRefunded, endsAt };
};

const linesOf = (who: Buyer, random: Random, now: Date): Line[] => {
  const kind = random.below(8);
  if (kind === 0) return [];
  if (kind === 1) return [resumedOf(who, random, now)];
  const from = addMs(now, -(30 * random.below(3) + 4 + random.below(20)) * DAY_MS);
  const first = lineOf(who, random, { plan: SLUGS[random.below(2)] ?? "basic", from, now });
  return kind < 5 ? [first] : [first, secondOf(who, random, { firstFrom: from, now })];
};

/** A buyer's scenario by its number. The first live subscription grants the plan. */
export const scenarioOf = async (who: Buyer, seed: number, setting: Setting): Promise<Scenario> => {
  const random = createRandom(seed);
  const { now } = setting;
  const bought = await packsOf(who, random, setting);
  const lines = linesOf(who, random, now);
  const unknown = { type: "customer.updated", data: { id: who.customerId }, at: addMs(now, -DAY_MS) };
  const giving = lines.find(({ endsAt }) => endsAt === null);
  const plan = giving?.plan ?? "free";
  const isKnown = giving ? !giving.isRefunded : lines.length === 0;
  const events = [...bought, ...lines.flatMap((line) => line.events), unknown];
  return { events, plan, allowance: isKnown ? (giving?.credits ?? PLANS.free.creditsPerPeriod) : null };
};
