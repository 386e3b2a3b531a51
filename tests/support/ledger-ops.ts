// The operations of ledger tests and the state they keep, for the model and the product.

export type Plan = "free" | "basic" | "growth";

/** An operation on one user's credits; times are in milliseconds. */
export type Op =
  | { kind: "need" }
  /** A Pinterest account; if it is taken, another user gets the free credits for it. */
  | { kind: "connect"; account: string; isTaken: boolean }
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
      canRestore: boolean;
    }
  | { kind: "end"; endsAt: number | null; plan: Plan }
  | { kind: "refund"; pack: string; credits: number; adjustment: string }
  | { kind: "refundPlan"; subscription: number; startsAt: number; credits: number; adjustment: string }
  | { kind: "reverse"; adjustment: string };

/** An operation's result, reduced to what can differ between two orders. */
export type Answer = readonly (string | number)[];

/** Grants that do not expire. */
export type Lot = { name: string; credits: number };

/** `level`: a period's total; `issued` and `expired`: sums over its history. */
export type Opened = { subscription: number; startsAt: number; level: number; issued: number; expired: number };
