import type { CheckoutOpenOptions, PaddleEventData } from "@paddle/paddle-js";

type EventCallback = (event: PaddleEventData) => void;
type Preview = () => Promise<unknown>;

/** A checkout event with the fields that the product reads. */
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

/** Sends the product an event of the payment provider's overlay. */
export const sendCheckoutEvent = (event: CheckoutEvent): void => {
  // Only the documented fields are read; a real event has a hundred.
  listener?.(event as PaddleEventData);
};

/** A successful payment, as the overlay reports it. */
export const completeCheckout = (data: Record<string, unknown> = {}): void => {
  sendCheckoutEvent({ name: "checkout.payment.initiated", data: {} });
  sendCheckoutEvent({ name: "checkout.completed", data: { transaction_id: "txn_1", currency_code: "USD", ...data } });
};

/** Adds a fake of Paddle's browser library to the page. Returns the calls it received. */
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
