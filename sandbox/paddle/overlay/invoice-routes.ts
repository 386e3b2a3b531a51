import type { Hono } from "hono";
import { PAGE_HEADERS } from "../../kit/look/page.ts";
import { createApp, type StandInEnv } from "../../kit/serve.ts";
import type { Paddle } from "../context.ts";
import { findInvoice } from "../invoice.ts";
import type { Transaction } from "../model.ts";
import { formatMinor } from "../money.ts";
import { writePdf } from "./invoice-pdf.ts";
import { day } from "./pages.ts";
import { deadPage } from "./portal-page.ts";

/** `GET /invoices/ID?token=…`: an invoice as PDF, for who was given its address. */
export function invoiceRoutes(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.get("/invoices/:id", (c) => {
    const transaction = findInvoice(paddle, c.req.param("id"), c.req.query("token") ?? "");
    if (transaction === undefined) {
      return c.html(deadPage("No such invoice", "Go back and ask for it again."), 404, PAGE_HEADERS);
    }
    const name = `invoice-${transaction.invoice_number ?? transaction.id}.pdf`;
    return c.body(writePdf(linesOf(paddle, transaction)), 200, {
      "content-type": "application/pdf",
      "content-disposition": `inline; filename="${name}"`,
      "cache-control": "no-store",
    });
  });
  return app;
}

function linesOf({ store }: Paddle, transaction: Transaction): string[] {
  const { details, currency_code, invoice_number, billed_at, customer_id, id } = transaction;
  const money = (amount: string) => formatMinor(Number(amount), currency_code);
  const items = details.line_items.map(
    ({ quantity, product, totals }) => `${quantity} x ${product.name}: ${money(totals.total)}`,
  );
  const { tax, credit, grand_total } = details.totals;
  return [
    `Invoice ${invoice_number ?? ""}`,
    "Paddle sandbox, a stand-in. Nothing was charged.",
    "",
    `Date: ${day(billed_at)}`,
    `Billed to: ${store.state.customers.get(customer_id ?? "")?.email ?? ""}`,
    `Transaction: ${id}`,
    "",
    ...items,
    `Of it tax: ${money(tax)}`,
    ...(Number(credit) > 0 ? [`Credit used: ${money(credit)}`] : []),
    `Total paid: ${money(grand_total)}`,
  ];
}
