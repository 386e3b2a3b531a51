import type { Paddle } from "../context.ts";
import { edit } from "../edit.ts";
import { refused } from "../refusals.ts";
import { createAdjustment, findAdjustment } from "./adjustments.ts";
import type { Adjustment } from "./model.ts";

/** The buyer's bank takes a payment back, or warns that it may: an adjustment that holds at once. */
export function createChargeback(
  paddle: Paddle,
  transactionId: string,
  action: "chargeback" | "chargeback_warning",
): Adjustment {
  const order = { action, transaction_id: transactionId, reason: "fraud", type: "full" } as const;
  return edit(paddle, (one) => createAdjustment(paddle, one, order));
}

/**
 * The bank gives the payment back after all: the chargeback is `reversed`, and an adjustment of its own says so.
 * @throws RefusedError for what is no chargeback, or is reversed already.
 */
export function reverseChargeback(paddle: Paddle, id: string): Adjustment {
  const chargeback = findAdjustment(paddle, id);
  if (chargeback.action !== "chargeback" || chargeback.status !== "approved") {
    throw refused("adjustment_not_reversible", `the ${chargeback.action} is ${chargeback.status}`, "adjustments");
  }
  return edit(paddle, (one) => {
    one.save("adjustments", { ...chargeback, status: "reversed" }, "adjustment.updated");
    const { transaction_id } = chargeback;
    const order = { action: "chargeback_reverse", transaction_id, reason: "won", type: "full" } as const;
    return createAdjustment(paddle, one, order);
  });
}
