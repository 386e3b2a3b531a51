import { createHmac, timingSafeEqual } from "node:crypto";
import type { Paddle } from "./context.ts";
import type { Transaction } from "./model.ts";
import { refused } from "./refusals.ts";

/** Address of a transaction's invoice. @throws RefusedError when there is none yet. */
export function invoiceUrl(paddle: Paddle, origin: string, { invoice_id: id, status }: Transaction): string {
  if (id === null) throw refused("transaction_invoice_not_available", `the transaction is ${status}`, "transactions");
  return `${origin}/invoices/${id}?token=${tokenFor(paddle, id)}`;
}

/** The transaction of an invoice, for who has its address. */
export function findInvoice(paddle: Paddle, invoiceId: string, token: string): Transaction | undefined {
  const [expected, given] = [Buffer.from(tokenFor(paddle, invoiceId)), Buffer.from(token)];
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
  return [...paddle.store.state.transactions.values()].find(({ invoice_id }) => invoice_id === invoiceId);
}

function tokenFor({ apiKey }: Paddle, invoiceId: string): string {
  return createHmac("sha256", apiKey).update(`invoice:${invoiceId}`).digest("base64url");
}
