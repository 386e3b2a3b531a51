import { html } from "hono/html";
import type { Markup } from "../../kit/look/page.ts";
import { type Card, digitsOf, isCardNumber } from "../cards.ts";

/** What a buyer typed in. */
export interface CardFields {
  number: string;
  expiry: string;
  cvc: string;
  holder: string;
}

/** What is wrong with it, by field. */
export type CardFaults = Partial<Record<keyof CardFields, string>>;

const EXPIRY = /^\s*(\d{1,2})\s*\/\s*(?:20)?(\d{2})\s*$/;
const CENTURY = 2000;

/** Test cards, as Paddle's documentation numbers them. */
const TEST_CARDS = [
  ["4242 4242 4242 4242", "Use card that works"],
  ["4000 0038 0000 0446", "Use card that asks your bank"],
  ["4000 0000 0000 0002", "Use card that is declined"],
  ["4000 0027 6000 3184", "Use card that fails at renewals"],
] as const;

/** The fields of a form, as text. */
export function readFields(form: Record<string, unknown>): CardFields {
  const text = (name: keyof CardFields) => {
    const value = form[name];
    return typeof value === "string" ? value.trim() : "";
  };
  return { number: text("number"), expiry: text("expiry"), cvc: text("cvc"), holder: text("holder") };
}

/** The card, or what is wrong with it. Whether the bank likes it is another question. */
export function readCard(fields: CardFields): { card: Card } | { faults: CardFaults } {
  const [, month = "", year = ""] = EXPIRY.exec(fields.expiry) ?? [];
  const isMonth = Number(month) >= 1 && Number(month) <= 12;
  const faults: CardFaults = {
    ...(!isCardNumber(fields.number) && { number: "Check the card number" }),
    ...(!isMonth && { expiry: "Month and year, like 04 / 30" }),
    ...(!/^\d{3,4}$/.test(fields.cvc) && { cvc: "The three digits on the back" }),
    ...(fields.holder === "" && { holder: "The name on the card" }),
  };
  if (Object.keys(faults).length > 0) return { faults };
  const number = digitsOf(fields.number);
  const expiryYear = CENTURY + Number(year);
  return { card: { number, expiryMonth: Number(month), expiryYear, cvc: fields.cvc, holder: fields.holder } };
}

/** The four fields of a card. The security code is never shown again. */
export function cardFields(fields: Partial<CardFields> = {}, faults: CardFaults = {}): Markup {
  const first = (["number", "expiry", "cvc", "holder"] as const).find((name) => faults[name] !== undefined) ?? "number";
  const field = (name: keyof CardFields, label: string, autocomplete: string, hint: string) => {
    const fault = faults[name];
    const value = name === "cvc" ? "" : (fields[name] ?? "");
    const isNumeric = name === "number" || name === "cvc";
    return html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}" placeholder="${hint}" autocomplete="${autocomplete}" ${isNumeric ? html`inputmode="numeric"` : ""} ${name === first ? "data-first" : ""} ${fault === undefined ? "" : html`aria-invalid="true" aria-describedby="${name}-wrong"`}>
${fault === undefined ? "" : html`<p class="wrong" id="${name}-wrong">${fault}</p>`}</div>`;
  };
  return html`${field("number", "Card number", "cc-number", "4242 4242 4242 4242")}
<div class="pair">${field("expiry", "Expiry date", "cc-exp", "MM / YY")}${field("cvc", "Security code", "cc-csc", "100")}</div>
${field("holder", "Name on card", "cc-name", "")}`;
}

/** Buttons that fill in a test card. @param expiryYear the year that they are good until */
export function testCards(expiryYear: number): Markup {
  const fieldsOf = (number: string) =>
    JSON.stringify({ number, expiry: `12 / ${String(expiryYear).slice(-2)}`, cvc: "100", holder: "Test Buyer" });
  return html`<details class="cards" open><summary>Test cards</summary><ul>${TEST_CARDS.map(
    ([number, text]) =>
      html`<li><button type="button" data-card="${fieldsOf(number)}">${text} <span class="num">${number}</span></button></li>`,
  )}</ul></details>`;
}

/** What a bank's refusal means, in words. */
export function declineText(errorCode: string): string {
  const texts = new Map([
    ["declined", "Your card was declined."],
    ["expired_card", "Your card has expired."],
    ["not_enough_balance", "There is not enough money on the card."],
    ["fraud", "Your bank suspects fraud."],
    ["authentication_failed", "Your bank did not confirm the payment."],
    ["invalid_payment_details", "The card's details are not right."],
  ]);
  return `${texts.get(errorCode) ?? `The payment failed (${errorCode}).`} Nothing was charged. Try again, or use another card.`;
}
