import type { Model } from "./ledger-model.ts";
import type { Lot } from "./ledger-ops.ts";

// Part of the ledger model: what a refund takes from reserved credits that are returned.

/** What a refund took and should have taken, and the state before it: lots and reservations. */
export interface Revocation {
  of: string;
  demanded: number;
  allowance: number;
  purchased: number;
  lots: Lot[];
  reservations: string[];
}

export const copyRevocations = (all: Model["revocations"]): Model["revocations"] =>
  Object.fromEntries(
    Object.entries(all).map(([name, one]) => [name, { ...one, lots: one.lots.map((lot) => ({ ...lot })) }]),
  );

/** What is left of a lot after this many credits were used, oldest first. */
export const leftIn = (lots: readonly Lot[], name: string, used: number): number => {
  let gone = used;
  for (const lot of lots) {
    const taken = Math.min(lot.credits, gone);
    if (lot.name === name) return lot.credits - taken;
    gone -= taken;
  }
  return 0;
};

/** A plan: returned credits are taken if they were reserved in that period before the refund. */
const reclaimPlan = (model: Model, one: Revocation, reference: string, back: number): number => {
  const isOfPeriod = one.of === `allowance:${model.reservations[reference]?.period}`;
  return isOfPeriod && one.reservations.includes(reference) ? Math.min(back, one.demanded - one.allowance) : 0;
};

/** A pack: what the refund would have taken without the reservations returned since then, less what it took. */
const reclaimPack = (model: Model, one: Revocation): number => {
  const used = one.reservations.reduce((sum, name) => {
    const { outcome, purchased } = model.reservations[name] ?? { outcome: "release", purchased: 0 };
    return outcome === "release" ? sum : sum + purchased;
  }, 0);
  return Math.max(0, Math.min(one.demanded, leftIn(one.lots, one.of, used)) - one.purchased);
};

/** Refunds with a shortfall take from what is returned, oldest first. */
export const reclaim = (model: Model, reference: string): void => {
  const returned = model.reservations[reference];
  let back = returned?.period === model.period ? returned.allowance : 0;
  const names = Object.keys(model.revocations);
  for (const [at, name] of names.entries()) {
    const one = model.revocations[name];
    const isMet = !one || one.allowance + one.purchased >= one.demanded;
    if (isMet || model.restored[name] !== undefined) continue;
    const isPlan = one.of.startsWith("allowance:");
    const late = Math.min(
      isPlan ? reclaimPlan(model, one, reference, back) : reclaimPack(model, one),
      isPlan ? model.allowance : model.purchased,
    );
    if (late === 0) continue;
    back -= isPlan ? late : 0;
    one[isPlan ? "allowance" : "purchased"] += late;
    model.causes.push(`revoke:${name}:late:${model.causes.length}`);
    model[isPlan ? "allowance" : "purchased"] -= late;
    // Later refunds take it into account.
    const after = names.slice(at + 1).flatMap((later) => model.revocations[later]?.lots ?? []);
    for (const lot of [...model.lots, ...after]) if (lot.name === one.of) lot.credits -= late;
  }
};
