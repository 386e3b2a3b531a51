import { found, RefusedError } from "./http.ts";
import type { Transaction } from "./model.ts";
import { type Change, commit, newId, type Paddle } from "./state.ts";
import { adjustedTotals } from "./totals.ts";

type Action = "refund" | "chargeback" | "chargeback_reverse";

/** Money that goes back, or a chargeback that was reversed; always about a whole transaction. */
export type Adjustment = ReturnType<typeof newAdjustment> & {
  status: "pending_approval" | "approved" | "rejected" | "reversed";
};

/** An adjustment that is asked for. */
interface AdjustmentOrder {
  action: Action;
  transactionId: string;
  reason: string;
}

/** A new adjustment of a completed transaction. @throws RefusedError */
export function adjust(paddle: Paddle, order: AdjustmentOrder): Adjustment {
  return commit(paddle, (change) => createAdjustment(paddle, change, order));
}

/**
 * `adjustment.created`: refunds wait for approval, all others hold at once.
 * @throws RefusedError when the transaction is not completed, a refund of it is pending, or nothing of it is left.
 */
function createAdjustment({ store }: Paddle, change: Change, order: AdjustmentOrder): Adjustment {
  const { action, transactionId } = order;
  const transaction = found(store.state.transactions, "transaction", transactionId);
  if (transaction.status !== "completed") throw new RefusedError("adjustment_transaction_invalid_status");
  const earlier = [...store.state.adjustments.values()].filter((one) => one.transaction_id === transactionId);
  const isPending = earlier.some((one) => one.status === "pending_approval");
  const isGone = earlier.some((one) => one.status === "approved" && one.action !== "chargeback_reverse");
  if (isPending) throw new RefusedError("adjustment_pending_refund_request");
  if (isGone && action !== "chargeback_reverse") throw new RefusedError("adjustment_amount_above_remaining_allowed");
  const status = action === "refund" ? "pending_approval" : "approved";
  const adjustment = { ...newAdjustment(change, order, transaction), status } as const;
  change.save("adjustments", adjustment, "adjustment.created");
  if (status === "approved") countIn(change, adjustment);
  return adjustment;
}

function newAdjustment(change: Change, { action, reason }: AdjustmentOrder, transaction: Transaction) {
  const { id: transaction_id, customer_id, subscription_id, currency_code, details } = transaction;
  const { subtotal, tax, total, fee, earnings } = details.totals;
  const totals = { subtotal, tax, total, fee: fee ?? "0", earnings: earnings ?? "0", currency_code };
  const created_at = change.stamp();
  return {
    id: newId("adj", change.at),
    action,
    type: "full",
    transaction_id,
    subscription_id,
    customer_id,
    reason,
    credit_applied_to_balance: null,
    currency_code,
    items: details.line_items.map((line) => {
      const { discount: _, ...amounts } = line.totals;
      const item = { id: newId("adjitm", change.at), item_id: line.id, type: "full", proration: null };
      return { ...item, amount: amounts.total, totals: amounts };
    }),
    totals,
    payout_totals: totals,
    created_at,
    updated_at: created_at,
  };
}

/** Takes an adjustment that holds off the adjusted totals of its transaction, or gives it back: `transaction.updated`. */
function countIn(change: Change, { transaction_id, action }: Adjustment): void {
  const transaction = change.get("transactions", transaction_id);
  if (transaction === undefined) return;
  const { details } = transaction;
  const adjusted_totals = adjustedTotals(details.totals, action !== "chargeback_reverse");
  change.save("transactions", { ...transaction, details: { ...details, adjusted_totals } }, "transaction.updated");
}

/** Paddle's decision on a refund: `adjustment.updated`. @throws RefusedError when it is not pending. */
export function settleRefund(change: Change, adjustment: Adjustment, verdict: "approved" | "rejected"): Adjustment {
  if (adjustment.status !== "pending_approval") throw new RefusedError("adjustment_not_pending");
  const settled = change.save("adjustments", { ...adjustment, status: verdict }, "adjustment.updated");
  if (verdict === "approved") countIn(change, settled);
  return settled;
}

/** The bank gives a payment back after all: the chargeback is `reversed`, and an adjustment of its own says so. */
export function reverseChargeback(paddle: Paddle, chargeback: Adjustment): Adjustment {
  const { action, status, transaction_id } = chargeback;
  if (action !== "chargeback" || status !== "approved") throw new RefusedError("adjustment_not_reversible");
  return commit(paddle, (change) => {
    change.save("adjustments", { ...chargeback, status: "reversed" }, "adjustment.updated");
    const order = { action: "chargeback_reverse", transactionId: transaction_id, reason: "won" } as const;
    return createAdjustment(paddle, change, order);
  });
}
