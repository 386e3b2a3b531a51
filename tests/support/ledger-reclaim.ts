import type { Model } from "./ledger-model.ts";
import type { Lot } from "./ledger-ops.ts";

// Of the model of the ledger: what a refund takes of credits that were held for work and come back.

/** What a refund took, what it was to take, and what there was before it: lots, and names of reservations. */
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

/** What is left of a lot when so many credits were used, the oldest first. */
export const leftIn = (lots: readonly Lot[], name: string, used: number): number => {
  let gone = used;
  for (const lot of lots) {
    const taken = Math.min(lot.credits, gone);
    if (lot.name === name) return lot.credits - taken;
    gone -= taken;
  }
  return 0;
};

/** Of a plan: what comes back goes, if it was reserved in that period before the refund. */
const reclaimPlan = (model: Model, one: Revocation, reference: string, back: number): number => {
  const isOfIt = one.of === `allowance:${model.reservations[reference]?.period}`;
  return isOfIt && one.reservations.includes(reference) ? Math.min(back, one.demanded - one.allowance) : 0;
};

/** Of a pack: what the refund would have found had all that came back since never been reserved, less what it took. */
const reclaimPack = (model: Model, one: Revocation): number => {
  const used = one.reservations.reduce((sum, name) => {
    const { outcome, purchased } = model.reservations[name] ?? { outcome: "release", purchased: 0 };
    return outcome === "release" ? sum : sum + purchased;
  }, 0);
  return Math.max(0, Math.min(one.demanded, leftIn(one.lots, one.of, used)) - one.purchased);
};

/** Refunds that found less than they were to take, take of what comes back; the first one first. */
export const reclaim = (model: Model, reference: string): void => {
  let back = model.reservations[reference]?.allowance ?? 0;
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
    // Later refunds reckon with it.
    const after = names.slice(at + 1).flatMap((later) => model.revocations[later]?.lots ?? []);
    for (const lot of [...model.lots, ...after]) if (lot.name === one.of) lot.credits -= late;
  }
};
