// What a test of the ledger can do to one user, and what is kept of it: for the model and for the product.

export type Plan = "free" | "basic" | "growth";

/** What can happen to one user's credits; moments are given in milliseconds. */
export type Op =
  | { kind: "need" }
  | { kind: "grant"; credits: number; name: string }
  | { kind: "buy"; credits: number; pack: string }
  | { kind: "reserve"; costs: { reference: string; credits: number }[] }
  | { kind: "settle"; reference: string; outcome: "spend" | "release" }
  | {
      kind: "pay";
      subscription: number;
      startsAt: number;
      credits: number;
      plan: Plan;
      endsAt: number | null;
      mayReturn: boolean;
    }
  | { kind: "end"; endsAt: number | null; plan: Plan }
  | { kind: "refund"; pack: string; credits: number; adjustment: string }
  | { kind: "refundPlan"; subscription: number; startsAt: number; credits: number; adjustment: string }
  | { kind: "reverse"; adjustment: string };

/** What an operation answers, in the fewest words in which two orders can differ. */
export type Answer = readonly (string | number)[];

/** What was given and does not expire. */
export type Lot = { name: string; credits: number };

/** `level`: what a period is to give in all; `issued` and `expired`: what came and went for it, however often. */
export type Opened = { subscription: number; startsAt: number; level: number; issued: number; expired: number };
