import type { CheckoutOpenOptions, PaddleEventData } from "@paddle/paddle-js";

type EventCallback = (event: PaddleEventData) => void;
type Preview = () => Promise<unknown>;

/** An event of the checkout, with the fields that the product reads. */
type CheckoutEvent = { name: string; data?: Record<string, unknown>; code?: string };

const noPreview: Preview = () => Promise.reject(new Error("no preview"));

let listener: EventCallback | undefined;
let opened: CheckoutOpenOptions[] = [];
let closed = 0;
let preview = noPreview;

const library = {
  Initialized: false,
  Environment: { set: () => {} },
  Initialize({ eventCallback }: { eventCallback: EventCallback }) {
    listener = eventCallback;
    library.Initialized = true;
  },
  Update: () => {},
  PricePreview: () => preview(),
  Checkout: {
    open(options: CheckoutOpenOptions) {
      opened.push(options);
      sendCheckoutEvent({ name: "checkout.loaded", data: {} });
    },
    close() {
      closed += 1;
    },
  },
};

/** Tells the product what the payment provider's overlay would tell it. */
export const sendCheckoutEvent = (event: CheckoutEvent): void => {
  // Only the documented names are read; a whole event has a hundred fields.
  listener?.(event as PaddleEventData);
};

/** A payment that succeeded, as the overlay reports it. */
export const completeCheckout = (data: Record<string, unknown> = {}): void => {
  sendCheckoutEvent({ name: "checkout.payment.initiated", data: {} });
  sendCheckoutEvent({ name: "checkout.completed", data: { transaction_id: "txn_1", currency_code: "USD", ...data } });
};

/** Puts Paddle's browser library into the page, as its script would. Returns what was asked of it. */
export const installPaddle = () => {
  opened = [];
  closed = 0;
  preview = noPreview;
  Object.assign(window, { PaddleBillingV1: library });
  return {
    opened: () => opened,
    closed: () => closed,
    previewPrices: (next: Preview) => {
      preview = next;
    },
  };
};
