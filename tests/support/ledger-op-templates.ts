import fc from "fast-check";
import type { Plan } from "./ledger-ops.ts";

/** An operation before its user and time are chosen. */
export type OpTemplate =
  | { kind: "need" }
  | { kind: "connect"; isTaken: boolean }
  | { kind: "grant"; credits: number; nth: number }
  | { kind: "buy"; credits: number; nth: number }
  | { kind: "reserve"; costs: number[] }
  | { kind: "settle"; pick: number; outcome: "spend" | "release" }
  | { kind: "renew"; second: boolean; daysAgo: number; size: 0 | 1; endsInHours: number | null }
  /** The newest paid period again: with more credits, or after another period replaced it. */
  | { kind: "raise"; credits: number; canRestore: boolean }
  /** The newest period of a subscription again. */
  | { kind: "again"; second: boolean }
  | { kind: "end"; inHours: number | null; plan: Plan }
  | { kind: "refund"; nth: number; adjustment: number; credits: number }
  | { kind: "refundPlan"; adjustment: number; credits: number }
  | { kind: "reverse"; adjustment: number };

const nth = fc.nat({ max: 5 });
const adjustment = fc.nat({ max: 7 });
const few = fc.integer({ min: 1, max: 40 });
/** Often soon, so that a month ends more than once with paid plans in between. */
const hours = fc.option(fc.oneof(fc.integer({ min: -30, max: 48 }), fc.integer({ min: 0, max: 60 * 24 })), { freq: 4 });
/** Any operation, weighted by how usual it is. */
export const template: fc.Arbitrary<OpTemplate> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("need") }) },
  {
    weight: 1,
    // Mostly taken: after its first own account, a user is never refused again.
    arbitrary: fc.record({ kind: fc.constant("connect"), isTaken: fc.constantFrom(true, true, true, false) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("grant"), credits: few, nth }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("buy"), credits: few, nth }) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant("reserve"),
      costs: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant("settle"), pick: fc.nat(), outcome: fc.constantFrom("spend", "release") }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("renew"),
      second: fc.boolean(),
      daysAgo: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })),
      size: fc.constantFrom(0, 1),
      endsInHours: hours,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("raise"),
      credits: fc.integer({ min: 15, max: 90 }),
      canRestore: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("again"), second: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("end"), inHours: hours, plan: fc.constantFrom("free", "basic") }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("refund"), nth, adjustment, credits: few }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("refundPlan"), adjustment, credits: few }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reverse"), adjustment }) },
) as fc.Arbitrary<OpTemplate>;
