import type { Paddle } from "./context.ts";
import { edit } from "./edit.ts";
import type { Transaction } from "./model.ts";
import { refused } from "./refusals.ts";
import { findTransaction, markCompleted } from "./transactions.ts";

/** Completes a paid transaction now. @throws RefusedError when it is not `paid`. */
export function completeTransaction(paddle: Paddle, id: string): Transaction {
  const transaction = findTransaction(paddle, id);
  if (transaction.status !== "paid") {
    throw refused("transaction_not_paid", `the transaction is ${transaction.status}`, "transactions");
  }
  paddle.paidReads.delete(id);
  return edit(paddle, (one) => markCompleted(one, transaction));
}

/** A transaction as a reader gets it: so many reads show it `paid` before it is completed. */
export function readTransaction(paddle: Paddle, id: string): Transaction {
  const transaction = findTransaction(paddle, id);
  if (transaction.status !== "paid") return transaction;
  const left = paddle.paidReads.get(id) ?? paddle.settings.paidReads;
  if (left <= 0) return completeTransaction(paddle, id);
  paddle.paidReads.set(id, left - 1);
  return transaction;
}
