import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import {
  type Adjustment,
  type AdjustmentAction,
  type AdjustmentItem,
  type LineItem,
  newId,
  type Transaction,
} from "./model.ts";
import { entityNotFound, invalidField, refused } from "./refusals.ts";
import { answer, answerPage, filterBy, type Paddle, readRequest } from "./respond.ts";
import { type Edit, edit } from "./state.ts";
import { findTransaction } from "./transactions.ts";

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
function countIn(one: Edit, { transaction_id, totals }: Adjustment, sign: 1 | -1): void {
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

/** What an adjustment is asked for. */
interface AdjustmentOrder {
  action: AdjustmentAction;
  transaction_id: string;
  reason: string;
  type?: "full" | "partial";
  items?: { item_id: string; type: "full" | "partial" | "tax" | "proration"; amount?: string | null }[] | null;
}

/** @throws RefusedError 404. */
export function findAdjustment({ store }: Paddle, id = ""): Adjustment {
  const adjustment = store.state.adjustments.get(id);
  if (adjustment === undefined) throw entityNotFound("adjustment", id);
  return adjustment;
}

/**
 * A new adjustment of a completed transaction, told of as `adjustment.created`: refunds wait for approval, all others
 * hold at once.
 * @throws RefusedError when the transaction is not completed, a refund of it is pending, or more is asked than is left.
 */
export function createAdjustment(paddle: Paddle, one: Edit, order: AdjustmentOrder): Adjustment {
  const transaction = findTransaction(paddle, order.transaction_id);
  const { id, status, customer_id, subscription_id, currency_code } = transaction;
  if (status !== "completed" || customer_id === null) {
    const detail = `The transaction being adjusted (${order.action}) has a non supported status. ID: ${id}`;
    throw refused(`adjustment_transaction_invalid_status_for_${order.action}`, detail, "adjustments");
  }
  const earlier = adjustmentsOf(paddle, id);
  if (earlier.some((one) => one.status === "pending_approval")) {
    const detail =
      "You are unable to create further adjustments against this transaction as there is a pending refund request";
    throw refused("adjustment_pending_refund_request", detail, "adjustments");
  }
  const items = itemsOf(one, transaction, earlier, order);
  const totals = totalsOf(items, transaction);
  const created_at = one.stamp();
  const adjustment: Adjustment = {
    id: newId("adj", one.at),
    action: order.action,
    type: order.type ?? "partial",
    transaction_id: id,
    subscription_id,
    customer_id,
    reason: order.reason,
    credit_applied_to_balance: order.action === "credit" ? false : null,
    currency_code,
    status: order.action === "refund" ? "pending_approval" : "approved",
    items,
    totals,
    payout_totals: totals,
    created_at,
    updated_at: created_at,
  };
  const made = one.save("adjustments", adjustment, "adjustment.created");
  if (made.status === "approved" && made.action !== "chargeback_warning") {
    countIn(one, made, made.action === "chargeback_reverse" ? 1 : -1);
  }
  return made;
}

/** Adjustments of a transaction that count or may still count. */
export function adjustmentsOf({ store }: Paddle, transactionId: string): Adjustment[] {
  return [...store.state.adjustments.values()].filter(
    ({ transaction_id, status }) => transaction_id === transactionId && status !== "rejected" && status !== "reversed",
  );
}

function itemsOf(
  one: Edit,
  transaction: Transaction,
  earlier: Adjustment[],
  { type, items, action }: AdjustmentOrder,
): AdjustmentItem[] {
  const lines = transaction.details.line_items;
  const left = (line: LineItem) => leftOf(line, action === "chargeback_reverse" ? [] : earlier);
  if (type === "full") {
    const open = lines.filter((line) => left(line) > 0);
    if (open.length === 0) throw tooMuch(transaction.id);
    return open.map((line) => toItem(one, line, "full", left(line)));
  }
  if (!items || items.length === 0) throw invalidField("items", "is required unless type is full");
  return items.map(({ item_id, type: kind, amount }) => {
    const line = lines.find(({ id }) => id === item_id);
    if (line === undefined) throw entityNotFound("transaction item", item_id);
    const wanted = kind === "full" ? left(line) : Number(amount ?? "0");
    if (wanted <= 0 || wanted > left(line)) throw tooMuch(transaction.id);
    return toItem(one, line, kind, wanted);
  });
}

function leftOf(line: LineItem, earlier: Adjustment[]): number {
  const taken = earlier.flatMap(({ items }) => items).filter(({ item_id }) => item_id === line.id);
  return taken.reduce((left, { totals }) => left - Number(totals.total), Number(line.totals.total));
}

function tooMuch(transactionId: string) {
  const detail = `More is adjusted than is left of the transaction. ID: ${transactionId}`;
  return refused("adjustment_amount_above_remaining_allowed", detail, "adjustments");
}

function toItem(one: Edit, line: LineItem, type: AdjustmentItem["type"], total: number): AdjustmentItem {
  const whole = Number(line.totals.total);
  const tax = whole === 0 ? 0 : Math.round((Number(line.totals.tax) * total) / whole);
  return {
    id: newId("adjitm", one.at),
    item_id: line.id,
    type,
    amount: String(total),
    proration: null,
    totals: { subtotal: String(total - tax), tax: String(tax), total: String(total) },
  };
}

function totalsOf(items: AdjustmentItem[], { details, currency_code }: Transaction) {
  const sum = (field: "subtotal" | "tax" | "total") =>
    items.reduce((all, { totals }) => all + Number(totals[field]), 0);
  const [paid, fees] = [Number(details.totals.total), Number(details.totals.fee ?? "0")];
  const fee = paid === 0 ? 0 : Math.round((fees * sum("total")) / paid);
  return {
    subtotal: String(sum("subtotal")),
    tax: String(sum("tax")),
    total: String(sum("total")),
    fee: String(fee),
    earnings: String(sum("subtotal") - fee),
    currency_code,
  };
}

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

const SIZE = { usual: 10, most: 50 };
const FILTERS = ["id", "action", "customer_id", "status", "subscription_id", "transaction_id"];

/** `GET|POST /adjustments`. */
export function adjustmentsApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.get("/adjustments", async (c) => {
    const { query } = await readRequest(paddle, c, "/adjustments");
    const found = filterBy(paddle.store.state.adjustments.values(), query, FILTERS);
    return answerPage(paddle, c, found, (adjustment) => adjustment, SIZE);
  });
  app.post("/adjustments", async (c) => {
    const { body } = await readRequest<AdjustmentOrder>(paddle, c, "/adjustments");
    if (body.action !== "refund" && body.action !== "credit") {
      throw invalidField("action", "must be refund or credit; chargebacks are made by the bank");
    }
    const { action, transaction_id, reason, type = "partial", items = null } = body;
    const order = { action, transaction_id, reason, type, items };
    const adjustment = edit(paddle, (one) => createAdjustment(paddle, one, order));
    c.set("created", adjustment.id);
    return answer(c, adjustment, 201);
  });
  return app;
}
