import type { CheckoutOpenOptions, PaddleEventData } from "@paddle/paddle-js";
import { SECOND_MS } from "#lib/core/time.ts";
import { CHECKOUT_DELAY_MS } from "#lib/features/billing/constants.ts";
import type { CheckoutWire } from "#lib/features/billing/schema.ts";
import type { CheckoutListener } from "./load-checkout.ts";

/** What the completed checkout reports. It comes from the browser, so it grants nothing. */
export interface Completion {
  transactionId: string;
  /** `custom_data.credits` */
  credits: unknown;
  /** `totals.total`, in major units. */
  total: number | null;
  currency: string | null;
  productId: string | null;
  customerId: string | null;
}

export type CheckoutOutcome =
  | { kind: "completed"; completion: Completion }
  /** Closed before anything was paid, as far as the page can see. */
  | { kind: "closed" }
  /** Closed while a payment was in progress; it may have succeeded. */
  | { kind: "interrupted" }
  /** Failed before a payment started; `detail` is for the console. */
  | { kind: "failed"; detail: string }
  /** Failed after a payment started, or completed without naming it. */
  | { kind: "unconfirmed"; detail: string };

/** The part of the provider's checkout used here. */
interface CheckoutWindow {
  Checkout: { open(options: CheckoutOpenOptions): void; close(): void };
}

interface OpenOptions {
  theme: "light" | "dark";
  /** Subscribes to checkout events; returns the unsubscribe function. */
  listen: (listener: CheckoutListener) => () => void;
  /** Aborted when the user leaves the screen. */
  signal: AbortSignal;
}

/** A checkout that shows nothing for this long is given up. */
const SILENCE_LIMIT_MS = 30 * SECOND_MS;

/** Reads the documented fields; null without a transaction. Newer scripts may lack `product_id` at the top level. */
export const readCompletion = (data: PaddleEventData["data"]): Completion | null => {
  const fields: Partial<NonNullable<PaddleEventData["data"]>> & { product_id?: string } = data ?? {};
  const custom: { credits?: unknown } = fields.custom_data ?? {};
  if (typeof fields.transaction_id !== "string" || fields.transaction_id === "") return null;
  return {
    transactionId: fields.transaction_id,
    credits: custom.credits ?? null,
    total: typeof fields.totals?.total === "number" ? fields.totals.total : null,
    currency: fields.currency_code ?? null,
    productId: fields.product_id ?? fields.items?.[0]?.product?.id ?? null,
    customerId: fields.customer?.id ?? null,
  };
};

/**
 * The outcome that an event means for an open checkout; null while it continues. The checkout handles declined cards
 * itself.
 */
const outcomeOf = (event: PaddleEventData, isPaying: boolean): CheckoutOutcome | null => {
  const name: string | undefined = event.name;
  if (name === "checkout.closed") return { kind: isPaying ? "interrupted" : "closed" };
  if (name === "checkout.error" || name === "checkout.failed") {
    const detail = `${event.code ?? name}: ${event.detail ?? "no detail"}`;
    return { kind: isPaying ? "unconfirmed" : "failed", detail };
  }
  if (name !== "checkout.completed") return null;
  const completion = readCompletion(event.data);
  if (completion) return { kind: "completed", completion };
  return { kind: "unconfirmed", detail: "completed without a transaction" };
};

/** Whether a payment is in progress. One without an answer may have succeeded. */
const isPayingAfter = (event: PaddleEventData, before: boolean): boolean => {
  const name: string | undefined = event.name;
  if (name === "checkout.payment.initiated") return true;
  return name === "checkout.payment.failed" ? false : before;
};

/**
 * Opens the checkout of a recorded purchase after a short delay and resolves with its outcome. The overlay is always
 * closed.
 */
export const openCheckout = (
  paddle: CheckoutWindow,
  order: CheckoutWire,
  { theme, listen, signal }: OpenOptions,
): Promise<CheckoutOutcome> =>
  new Promise((resolve) => {
    let isOpen = false;
    let isSettled = false;
    let isPaying = false;
    let timer: ReturnType<typeof setTimeout> | undefined;

    const settle = (outcome: CheckoutOutcome): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      stopListening();
      signal.removeEventListener("abort", leave);
      const isClosed = outcome.kind === "closed" || outcome.kind === "interrupted";
      if (isOpen && !isClosed) paddle.Checkout.close();
      resolve(outcome);
    };
    const leave = (): void => {
      if (isOpen) paddle.Checkout.close();
      settle({ kind: "closed" });
    };
    const stopListening = listen((event) => {
      if (!isOpen) return;
      clearTimeout(timer);
      isPaying = isPayingAfter(event, isPaying);
      const outcome = outcomeOf(event, isPaying);
      if (outcome) settle(outcome);
    });
    const open = (): void => {
      isOpen = true;
      timer = setTimeout(() => settle({ kind: "failed", detail: "the checkout showed nothing" }), SILENCE_LIMIT_MS);
      try {
        paddle.Checkout.open({
          items: [{ priceId: order.price_id, quantity: 1 }],
          customer: { email: order.customer_email },
          customData: order.custom_data,
          settings: { displayMode: "overlay", theme, locale: "en", allowLogout: false, showAddDiscounts: false },
        });
      } catch (error) {
        settle({ kind: "failed", detail: String(error) });
      }
    };
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave);
    timer = setTimeout(open, CHECKOUT_DELAY_MS);
  });
