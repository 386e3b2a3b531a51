import type { Answer, Lot, Op, Opened, Plan } from "./ledger-ops.ts";
import { copyRevocations, leftIn, type Revocation, reclaim } from "./ledger-reclaim.ts";

/**
 * A second, database-free implementation of the ledger: one user's credits as plain values. It shares no rule with the
 * product, so a mistake in either shows up.
 */

export interface Model {
  plan: Plan;
  planEndsAt: number | null;
  allowance: number;
  purchased: number;
  held: number;
  period: string;
  granted: number;
  /** Paid periods that were ever opened, by key. */
  opened: Record<string, Opened>;
  /** The newest paid one; null before the first. */
  lastPaid: { subscription: number; startsAt: number } | null;
  /** Connected accounts: `taken` ones count for another user's free credits. */
  accounts: ("own" | "taken")[];
  /** What each month began with, and what was first taken at a connection. */
  grants: Record<string, number>;
  takenOf: Record<string, number>;
  isEmailSent: boolean;
  emails: number;
  /** Causes of all movements, each once. */
  causes: string[];
  /** Granted credits that do not expire, oldest first, less what was revoked. */
  lots: Lot[];
  reservations: Record<string, { allowance: number; purchased: number; outcome: string | null; period: string }>;
  revocations: Record<string, Revocation>;
  restored: Record<string, number>;
}

export const newModel = (): Model => ({
  plan: "free",
  planEndsAt: null,
  allowance: 0,
  purchased: 0,
  held: 0,
  period: "",
  granted: 0,
  opened: {},
  lastPaid: null,
  accounts: [],
  grants: {},
  takenOf: {},
  isEmailSent: false,
  emails: 0,
  causes: [],
  lots: [],
  reservations: {},
  revocations: {},
  restored: {},
});

/** A copy of the state that can change independently. */
export const copyOf = (model: Model): Model => ({
  ...model,
  causes: [...model.causes],
  accounts: [...model.accounts],
  grants: { ...model.grants },
  takenOf: { ...model.takenOf },
  opened: Object.fromEntries(Object.entries(model.opened).map(([period, one]) => [period, { ...one }])),
  lots: model.lots.map((lot) => ({ ...lot })),
  reservations: { ...model.reservations },
  revocations: copyRevocations(model.revocations),
  restored: { ...model.restored },
});

const FREE = 5;
const FEW = 10;
const available = (model: Model): number => model.allowance + model.purchased;
const paid = (startsAt: number): string => `paid:${new Date(startsAt).toISOString()}`;

const move = (model: Model, cause: string, allowance: number, purchased: number): void => {
  model.causes.push(cause);
  model.allowance += allowance;
  model.purchased += purchased;
};

const give = (model: Model): void => {
  if (available(model) >= FEW) model.isEmailSent = false;
};

const use = (model: Model, before: number): void => {
  if (before < FEW || available(model) >= FEW || model.isEmailSent) return;
  model.isEmailSent = true;
  model.emails += 1;
};

const startPeriod = (model: Model, period: string, credits: number, cause: string): void => {
  const ending = model.opened[model.period];
  if (ending) ending.expired += model.allowance;
  if (model.allowance > 0) move(model, `expiry:${model.period}>${period}`, -model.allowance, 0);
  if (!model.causes.includes(cause)) {
    model.grants[cause] = credits;
    move(model, cause, credits, 0);
    give(model);
  }
  model.period = period;
  model.granted = credits;
};

const isFree = (model: Model, now: number): boolean =>
  model.plan === "free" || (model.planEndsAt !== null && model.planEndsAt <= now);

const monthOf = (now: number): string => new Date(now).toISOString().slice(0, 7);

const isRefused = ({ accounts }: Model): boolean => accounts.length > 0 && !accounts.includes("own");

const rollMonth = (model: Model, now: number): void => {
  const month = monthOf(now);
  if (isFree(model, now) && (model.period.startsWith("paid:") || model.period < month)) {
    startPeriod(model, month, isRefused(model) ? 0 : FREE, `allowance:${month}`);
  }
};

/** After accounts that others claimed, the user connects a free one: the month's credits are granted, once. */
const giveClaimed = (model: Model): Answer => {
  const cause = `allowance:${model.period}:claimed`;
  if (model.granted !== 0 || model.causes.includes(cause)) return [];
  const hadGrant = (model.grants[`allowance:${model.period}`] ?? 0) > 0;
  move(model, cause, hadGrant ? (model.takenOf[model.period] ?? 0) : FREE, 0);
  give(model);
  model.granted = FREE;
  return [];
};

const connect = (model: Model, isTaken: boolean, now: number): Answer => {
  model.accounts.push(isTaken ? "taken" : "own");
  rollMonth(model, now);
  if (!isFree(model, now) || model.period !== monthOf(now)) return [];
  if (!isRefused(model)) return giveClaimed(model);
  if (model.allowance > 0) {
    model.takenOf[model.period] ??= model.allowance;
    move(model, `expiry:${model.period}>taken`, -model.allowance, 0);
  }
  model.granted = 0;
  return [];
};

/** What is left of a lot when the oldest credits are spent first. */
const leftOf = (model: Model, name: string): number =>
  leftIn(model.lots, name, model.lots.reduce((sum, { credits }) => sum + credits, 0) - model.purchased);

const lotNamed = (model: Model, name: string): Lot | undefined => model.lots.find((lot) => lot.name === name);

const addLot = (model: Model, name: string, credits: number, now: number): Answer => {
  rollMonth(model, now);
  const isNew = !model.causes.includes(name);
  if (isNew) {
    move(model, name, 0, credits);
    model.lots.push({ name, credits });
    give(model);
  }
  return [isNew ? "granted" : "already_granted", available(model)];
};

const reserve = (model: Model, costs: Extract<Op, { kind: "reserve" }>["costs"], now: number): Answer => {
  rollMonth(model, now);
  const before = available(model);
  let reserved = 0;
  for (const { reference, credits } of costs) {
    if (credits > available(model)) break;
    const allowance = Math.min(model.allowance, credits);
    move(model, `reserve:${reference}`, -allowance, allowance - credits);
    model.held += credits;
    const { period } = model;
    model.reservations[reference] = { allowance, purchased: credits - allowance, outcome: null, period };
    reserved += 1;
  }
  const emailsBefore = model.emails;
  if (reserved > 0) use(model, before);
  return [reserved, available(model), model.emails - emailsBefore];
};

const settle = (model: Model, { reference, outcome }: Extract<Op, { kind: "settle" }>, now: number): Answer => {
  const found = model.reservations[reference];
  if (!found) return ["not_found"];
  if (found.outcome !== null) return ["already_settled", found.outcome];
  model.reservations[reference] = { ...found, outcome };
  if (outcome === "release") rollMonth(model, now);
  const isBack = outcome === "release";
  // The allowance of an ended period expires with it.
  const isCurrent = found.period === model.period;
  move(model, `settle:${reference}`, isBack && isCurrent ? found.allowance : 0, isBack ? found.purchased : 0);
  if (isBack) reclaim(model, reference);
  model.held -= found.allowance + found.purchased;
  return ["settled", outcome];
};

const raise = (model: Model, one: Opened, credits: number): number => {
  const more = Math.max(0, credits - one.level);
  if (more === 0) return 0;
  move(model, `allowance:${model.period}:${credits}`, more, 0);
  give(model);
  one.level = credits;
  one.issued += more;
  model.granted = credits;
  return more;
};

/** Whatever was issued for a period and neither expired nor remains was used; the rest is restored. */
const returned = (model: Model, period: string, one: Opened, credits: number): Answer => {
  const rest = Math.min(one.level, Math.max(0, one.level - (one.issued - one.expired)));
  startPeriod(model, period, rest, `allowance:${period}:again:${model.causes.length}`);
  one.issued += rest;
  model.granted = one.level;
  return ["returned", rest + raise(model, one, credits)];
};

const pay = (model: Model, op: Extract<Op, { kind: "pay" }>): Answer => {
  const { subscription, startsAt, credits } = op;
  Object.assign(model, { plan: op.plan, planEndsAt: op.endsAt });
  const period = paid(startsAt);
  const known = model.opened[period];
  if (known && model.period === period) {
    const more = raise(model, known, credits);
    return more > 0 ? ["raised", more] : ["unchanged", 0];
  }
  const own = Object.values(model.opened).filter((one) => one.subscription === subscription);
  if (own.some((one) => one.startsAt > startsAt) || (known && !op.canRestore)) return ["unchanged", 0];
  model.lastPaid = { subscription, startsAt };
  if (known) return returned(model, period, known, credits);
  startPeriod(model, period, credits, `allowance:${period}`);
  model.opened[period] = { subscription, startsAt, level: credits, issued: credits, expired: 0 };
  return ["opened", credits];
};

const revoke = (model: Model, adjustment: string, of: string, most: number): Answer => {
  const before = model.revocations[adjustment];
  if (before) return [before.allowance + before.purchased];
  if (!model.causes.includes(of)) return [0];
  const isPlan = of.startsWith("allowance:");
  const left = isPlan ? (of === `allowance:${model.period}` ? model.allowance : 0) : leftOf(model, of);
  const credits = Math.min(most, left);
  const had = available(model);
  const lots = model.lots.map((one) => ({ ...one }));
  const reservations = Object.keys(model.reservations);
  move(model, `revoke:${adjustment}`, isPlan ? -credits : 0, isPlan ? 0 : -credits);
  const lot = lotNamed(model, of);
  if (lot) lot.credits -= credits;
  const taken = { allowance: isPlan ? credits : 0, purchased: isPlan ? 0 : credits };
  model.revocations[adjustment] = { of, demanded: most, ...taken, lots, reservations };
  use(model, had);
  return [credits];
};

const reverse = (model: Model, adjustment: string): Answer => {
  const before = model.restored[adjustment];
  if (before !== undefined) return [before];
  const taken = model.revocations[adjustment];
  if (!taken) return [0];
  const allowance = taken.of === `allowance:${model.period}` ? taken.allowance : 0;
  move(model, `restore:${adjustment}`, allowance, taken.purchased);
  const lot = lotNamed(model, taken.of);
  if (lot) lot.credits += taken.purchased;
  model.restored[adjustment] = allowance + taken.purchased;
  give(model);
  return [allowance + taken.purchased];
};

/** Applies one operation to the model at a time. */
export const apply = (model: Model, op: Op, now: number): Answer => {
  switch (op.kind) {
    case "need":
      rollMonth(model, now);
      return [model.allowance, model.purchased, model.period];
    case "connect":
      return connect(model, op.isTaken, now);
    case "grant":
      return addLot(model, `grant:${op.name}`, op.credits, now);
    case "buy":
      return addLot(model, `purchase:${op.pack}`, op.credits, now);
    case "reserve":
      return reserve(model, op.costs, now);
    case "settle":
      return settle(model, op, now);
    case "pay":
      return pay(model, op);
    case "end":
      Object.assign(model, { plan: op.plan, planEndsAt: op.endsAt });
      return [];
    case "refund":
      return revoke(model, op.adjustment, `purchase:${op.pack}`, op.credits);
    case "refundPlan":
      return revoke(model, op.adjustment, `allowance:${paid(op.startsAt)}`, op.credits);
    case "reverse":
      return reverse(model, op.adjustment);
  }
};
