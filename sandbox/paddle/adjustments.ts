import { ApiError, findOrThrow } from "./http.ts";
import type { Transaction } from "./model.ts";
import { type Change, commit, newId, type Paddle } from "./state.ts";
import { adjustedTotals } from "./totals.ts";

type Action = "refund" | "chargeback" | "chargeback_reverse";

/** A refund, a chargeback or a reversed chargeback of a whole transaction. */
export type Adjustment = ReturnType<typeof newAdjustment> & {
  status: "pending_approval" | "approved" | "rejected" | "reversed";
};

interface AdjustmentInput {
  action: Action;
  transactionId: string;
  reason: string;
}

/** Creates an adjustment of a completed transaction. @throws ApiError */
export function adjust(paddle: Paddle, order: AdjustmentInput): Adjustment {
  return commit(paddle, (change) => createAdjustment(paddle, change, order));
}

/** `adjustment.created`. Refunds wait for approval. @throws ApiError if the transaction can't be returned now. */
function createAdjustment({ store }: Paddle, change: Change, order: AdjustmentInput): Adjustment {
  const { action, transactionId } = order;
  const transaction = findOrThrow(store.state.transactions, "transaction", transactionId);
  if (transaction.status !== "completed") throw new ApiError("adjustment_transaction_invalid_status");
  const earlier = [...store.state.adjustments.values()].filter((item) => item.transaction_id === transactionId);
  const isPending = earlier.some((item) => item.status === "pending_approval");
  const isRefunded = earlier.some((item) => item.status === "approved" && item.action !== "chargeback_reverse");
  if (isPending) throw new ApiError("adjustment_pending_refund_request");
  if (isRefunded && action !== "chargeback_reverse") throw new ApiError("adjustment_amount_above_remaining_allowed");
  const status = action === "refund" ? "pending_approval" : "approved";
  const adjustment = { ...newAdjustment(change, order, transaction), status } as const;
  change.save("adjustments", adjustment, "adjustment.created");
  if (status === "approved") applyToTotals(change, adjustment);
  return adjustment;
}

function newAdjustment(change: Change, { action, reason }: AdjustmentInput, transaction: Transaction) {
  const { id: transaction_id, customer_id, subscription_id, currency_code, details } = transaction;
  const { subtotal, tax, total, fee, earnings } = details.totals;
  const totals = { subtotal, tax, total, fee: fee ?? "0", earnings: earnings ?? "0", currency_code };
  const created_at = change.timestamp();
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

/** Subtracts an adjustment from its transaction's totals, or adds it back: `transaction.updated`. */
function applyToTotals(change: Change, { transaction_id, action }: Adjustment): void {
  const transaction = change.get("transactions", transaction_id);
  if (transaction === undefined) return;
  const { details } = transaction;
  const adjusted_totals = adjustedTotals(details.totals, action !== "chargeback_reverse");
  change.save("transactions", { ...transaction, details: { ...details, adjusted_totals } }, "transaction.updated");
}

/** Approves or rejects a refund: `adjustment.updated`. @throws ApiError if it is not pending. */
export function settleRefund(change: Change, adjustment: Adjustment, decision: "approved" | "rejected"): Adjustment {
  if (adjustment.status !== "pending_approval") throw new ApiError("adjustment_not_pending");
  const settled = change.save("adjustments", { ...adjustment, status: decision }, "adjustment.updated");
  if (decision === "approved") applyToTotals(change, settled);
  return settled;
}

/** Reverses a chargeback: it becomes `reversed`, and a new adjustment records it. */
export function reverseChargeback(paddle: Paddle, chargeback: Adjustment): Adjustment {
  const { action, status, transaction_id } = chargeback;
  if (action !== "chargeback" || status !== "approved") throw new ApiError("adjustment_not_reversible");
  return commit(paddle, (change) => {
    change.save("adjustments", { ...chargeback, status: "reversed" }, "adjustment.updated");
    const order = { action: "chargeback_reverse", transactionId: transaction_id, reason: "won" } as const;
    return createAdjustment(paddle, change, order);
  });
}
