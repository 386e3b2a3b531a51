import type { CheckoutOpenOptions, PaddleEventData } from "@paddle/paddle-js";
import { SECOND_MS } from "#lib/core/time.ts";
import { CHECKOUT_DELAY_MS } from "#lib/features/billing/constants.ts";
import type { CheckoutWire } from "#lib/features/billing/schema.ts";
import type { CheckoutListener } from "./load-checkout.ts";

/** What the completed checkout says of itself (R-PAY-04). A browser's word: it is handed on and grants nothing. */
export interface Completion {
  transactionId: string;
  /** `custom_data.credits` */
  credits: unknown;
  /** `totals.total`, in whole units of the currency. */
  total: number | null;
  currency: string | null;
  productId: string | null;
  customerId: string | null;
}

export type CheckoutOutcome =
  | { kind: "completed"; completion: Completion }
  /** Left before anything was paid, as far as one can tell. */
  | { kind: "closed" }
  /** Left while a payment was under way: it may have gone through. */
  | { kind: "interrupted" }
  /** It could not go on, and no payment had begun; `detail` is for the console. */
  | { kind: "failed"; detail: string }
  /** It could not go on after a payment had begun, or does not say which one was completed. */
  | { kind: "unconfirmed"; detail: string };

/** The provider's checkout, as far as it is opened and closed here. */
export interface CheckoutWindow {
  Checkout: { open(options: CheckoutOpenOptions): void; close(): void };
}

interface OpenOptions {
  theme: "light" | "dark";
  /** Hears the checkout; returns how to stop. */
  listen: (listener: CheckoutListener) => () => void;
  /** Aborted when the screen is left. */
  signal: AbortSignal;
}

/** So long after being opened a checkout that shows nothing is given up. */
const SILENCE_LIMIT_MS = 30 * SECOND_MS;

/** Reads the documented names alone; null without a transaction. Newer scripts may lack `product_id` at the top. */
export const readCompletion = (data: PaddleEventData["data"]): Completion | null => {
  const said: Partial<NonNullable<PaddleEventData["data"]>> & { product_id?: string } = data ?? {};
  const custom: { credits?: unknown } = said.custom_data ?? {};
  if (typeof said.transaction_id !== "string" || said.transaction_id === "") return null;
  return {
    transactionId: said.transaction_id,
    credits: custom.credits ?? null,
    total: typeof said.totals?.total === "number" ? said.totals.total : null,
    currency: said.currency_code ?? null,
    productId: said.product_id ?? said.items?.[0]?.product?.id ?? null,
    customerId: said.customer?.id ?? null,
  };
};

/** What an event means for a checkout that is open; null when it goes on. Refused cards stay its own affair. */
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

/** Whether a payment is under way after an event. One whose answer was lost may have gone through. */
const isPayingAfter = (event: PaddleEventData, before: boolean): boolean => {
  const name: string | undefined = event.name;
  if (name === "checkout.payment.initiated") return true;
  return name === "checkout.payment.failed" ? false : before;
};

/**
 * Opens the checkout of a recorded purchase 100 ms later (R-TIME-07), by its price id, once, with the customer's address
 * and the custom data (R-BUY-18, R-PRICE-12), and answers how it ended. The overlay is closed in every case (R-BUY-22).
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
      const isGone = outcome.kind === "closed" || outcome.kind === "interrupted";
      if (isOpen && !isGone) paddle.Checkout.close();
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
