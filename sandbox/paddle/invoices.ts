import type { Hono } from "hono";
import { PAGE_HEADERS } from "../kit/look/page.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import type { Transaction } from "./model.ts";
import { day } from "./overlay-pages.ts";
import { deadPage } from "./portal.ts";
import type { Paddle } from "./respond.ts";
import { formatMinor } from "./time.ts";
import { findInvoice } from "./transactions.ts";

const PAGE_WIDTH = 595;
const PAGE_HEIGHT = 842;
const MARGIN = 64;
const HEADING_SIZE = 22;
const TEXT_SIZE = 11;
const LEADING = 20;

/** Characters of the usual encoding of PDF's own fonts; others would need a font of their own. */
const PLAIN = /[^\x20-\x7e\xa0-\xff]/g;
const SIGNS: Record<string, string> = { "€": "EUR ", "₹": "INR ", "₩": "KRW ", "\u202f": " " };

/** One page of text lines, the first a heading, as a PDF file. */
function writePdf(lines: string[]): Uint8Array<ArrayBuffer> {
  const text = lines.map((line, index) => {
    const size = index === 0 ? HEADING_SIZE : TEXT_SIZE;
    return `/F1 ${size} Tf (${escaped(line)}) Tj 0 -${LEADING} Td`;
  });
  const content = `BT ${MARGIN} ${PAGE_HEIGHT - MARGIN - HEADING_SIZE} Td ${text.join("\n")} ET`;
  return assemble([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE_WIDTH} ${PAGE_HEIGHT}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ]);
}

/** Objects with the table that says at which byte each begins. */
function assemble(objects: string[]): Uint8Array<ArrayBuffer> {
  let file = "%PDF-1.4\n";
  const starts = objects.map((object, index) => {
    const start = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return start;
  });
  const table = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const tail = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Uint8Array.from(Buffer.from(`${file}xref\n0 ${size}\n0000000000 65535 f \n${table}${tail}`, "latin1"));
}

function escaped(line: string): string {
  const plain = line.replace(/[€₹₩\u202f]/g, (sign) => SIGNS[sign] ?? "").replace(PLAIN, "?");
  return plain.replace(/[\\()]/g, (sign) => `\\${sign}`);
}

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
