import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { PAGE_HEADERS } from "../kit/ui/page.ts";
import { isSameText } from "../kit/values.ts";
import { sign } from "./customers.ts";
import { ApiError } from "./http.ts";
import type { Transaction } from "./model.ts";
import { errorPage } from "./panels.ts";
import { formatDay } from "./periods.ts";
import type { Paddle } from "./state.ts";
import { formatMinor } from "./totals.ts";

/** URL of a transaction's invoice. @throws ApiError if there is none yet. */
export function invoiceUrl(paddle: Paddle, origin: string, { invoice_id: id }: Transaction): string {
  if (id === null) throw new ApiError("transaction_invoice_not_available");
  return `${origin}/invoices/${id}?token=${sign(paddle, `invoice:${id}`)}`;
}

/** `GET /invoices/ID?token=…`: an invoice as PDF, for anyone who has its URL. */
export function invoiceRoutes(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.get("/invoices/:id", (c) => {
    const id = c.req.param("id");
    const isValid = isSameText(c.req.query("token") ?? "", sign(paddle, `invoice:${id}`));
    const all = isValid ? [...paddle.store.state.transactions.values()] : [];
    const transaction = all.find(({ invoice_id }) => invoice_id === id);
    if (transaction === undefined) {
      return c.html(errorPage("Invoice not found", "Go back and open it again."), 404, PAGE_HEADERS);
    }
    return c.body(writePdf(linesOf(paddle, transaction)), 200, {
      "content-type": "application/pdf",
      "content-disposition": `inline; filename="invoice-${transaction.invoice_number}.pdf"`,
      "cache-control": "no-store",
    });
  });
  return app;
}

function linesOf({ store }: Paddle, transaction: Transaction): string[] {
  const { details, currency_code, invoice_number, billed_at, customer_id, id } = transaction;
  const money = (amount: string) => formatMinor(amount, currency_code);
  const { tax, credit, grand_total } = details.totals;
  return [
    `Invoice ${invoice_number}`,
    "Paddle sandbox (stand-in). Nothing was charged.",
    "",
    `Date: ${formatDay(billed_at)}`,
    `Billed to: ${store.state.customers.get(customer_id ?? "")?.email ?? ""}`,
    `Transaction: ${id}`,
    "",
    ...details.line_items.map(
      ({ quantity, product, totals }) => `${quantity} x ${product.name}: ${money(totals.total)}`,
    ),
    `Includes tax:  ${money(tax)}`,
    ...(Number(credit) > 0 ? [`Credit used: ${money(credit)}`] : []),
    `Total paid: ${money(grand_total)}`,
  ];
}

const PAGE = { width: 595, height: 842, margin: 64 };
const TEXT = { heading: 22, size: 11, leading: 20 };

/** Writes lines of text as a one-page PDF, the first line as a heading. */
function writePdf(lines: string[]): Uint8Array<ArrayBuffer> {
  const shown = lines.map((line, index) => {
    const size = index === 0 ? TEXT.heading : TEXT.size;
    return `/F1 ${size} Tf (${escaped(line)}) Tj 0 -${TEXT.leading} Td`;
  });
  const content = `BT ${PAGE.margin} ${PAGE.height - PAGE.margin - TEXT.heading} Td ${shown.join("\n")} ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ];
  let file = "%PDF-1.4\n";
  let table = "0000000000 65535 f \n";
  for (const [index, object] of objects.entries()) {
    table += `${String(file.length).padStart(10, "0")} 00000 n \n`;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const size = objects.length + 1;
  const end = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Uint8Array.from(Buffer.from(`${file}xref\n0 ${size}\n${table}${end}`, "latin1"));
}

/** PDF's built-in fonts only have the characters of their standard encoding. */
function escaped(line: string): string {
  const plain = line
    .replace("€", "EUR ")
    .replace("₹", "INR ")
    .replace(/[^\x20-\x7e\xa0-\xff]/g, "?");
  return plain.replace(/[\\()]/g, (sign) => `\\${sign}`);
}
