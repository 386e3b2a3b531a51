import type { Edit } from "../edit.ts";
import { refused } from "../refusals.ts";
import type { Adjustment } from "./model.ts";

/**
 * Paddle's word on a refund: `adjustment.updated`.
 * @throws RefusedError when it is not pending.
 */
export function settleRefund(one: Edit, adjustment: Adjustment, verdict: "approved" | "rejected"): Adjustment {
  if (adjustment.status !== "pending_approval") {
    throw refused("adjustment_not_pending", `the adjustment is ${adjustment.status}`, "adjustments");
  }
  const settled = one.save("adjustments", { ...adjustment, status: verdict }, "adjustment.updated");
  if (verdict === "approved") countIn(one, settled, -1);
  return settled;
}

/** Takes an adjustment that holds off the adjusted totals of its transaction, or gives it back: `transaction.updated`. */
export function countIn(one: Edit, { transaction_id, totals }: Adjustment, sign: 1 | -1): void {
  const transaction = one.get("transactions", transaction_id);
  if (transaction === undefined) return;
  const before = transaction.details.adjusted_totals;
  const moved = (field: "subtotal" | "tax" | "total" | "earnings", by: string) =>
    String(Number(before[field] ?? "0") + sign * Number(by));
  const adjusted_totals = {
    ...before,
    subtotal: moved("subtotal", totals.subtotal),
    tax: moved("tax", totals.tax),
    total: moved("total", totals.total),
    grand_total: String(Number(before.grand_total) + sign * Number(totals.total)),
    earnings: moved("earnings", totals.earnings),
  };
  const details = { ...transaction.details, adjusted_totals };
  one.save("transactions", { ...transaction, details }, "transaction.updated");
}
