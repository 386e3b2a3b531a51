import { z } from "zod";
import { PAYMENTS_PAGE_MAX } from "./constants.ts";
import { PACK_CREDITS, PAID_PLANS } from "./plans.ts";

const slug = z.enum(["free", "basic", "growth", "pro"]);
const moment = z.iso.datetime({ offset: true });

/** R-SUB-01; the provider's other words are told by `payment_problem`. */
export const subscriptionStatus = z.enum(["active", "trial", "active (canceling)", "canceled", "no_subscription"]);
export type SubscriptionStatusWire = z.output<typeof subscriptionStatus>;

/** R-ENT-12, as `GET /api/users/subscription/` answers it: the bare object. Prices in dollars. */
export const subscriptionWire = z.object({
  status: subscriptionStatus,
  auto_renew: z.boolean(),
  /** When the paid period ends, or the plan ended; null for who never had one. */
  end_date: moment.nullable(),
  plan: z.object({
    id: z.string(),
    name: z.string(),
    slug,
    price: z.number(),
    features: z.object({ extra_credit_price: z.number(), credits: z.number().int() }),
  }),
  /** A plan that the next renewal changes to, or that a paused subscription goes on with; else null. */
  next_plan: slug.nullable(),
  /** a renewal could not be charged, or the subscription rests until somebody pays. */
  payment_problem: z.enum(["past_due", "paused"]).nullable(),
  /** Of a confirmation: the provider has not finished the payment yet; ask again in a moment. */
  confirmation: z.enum(["completed", "pending"]).optional(),
});
export type SubscriptionWire = z.output<typeof subscriptionWire>;

/** R-ENT-13; `amount` in `currency`. Status: 'successful', 'pending', and everything else failed (R-SET-04). */
export const paymentWire = z.object({
  id: z.string(),
  amount: z.number(),
  currency: z.string(),
  payment_method: z.string(),
  transaction_id: z.string(),
  payment_date: moment,
  status: z.string(),
  /** What was paid for, in words: 'Basic plan', '500 credits'. */
  description: z.string(),
  /** Whether an invoice can be asked for. */
  has_receipt: z.boolean(),
  /** What was paid back of it, by a refund or through the bank; 0 for most. */
  refunded: z.number(),
});
export type PaymentWire = z.output<typeof paymentWire>;

/** `GET /api/users/payments/`: without a limit all of them (DESIGN §7). */
export const listPaymentsInput = z.object({
  limit: z.coerce.number("The limit is a number.").int().min(1).max(PAYMENTS_PAGE_MAX).optional(),
  cursor: z.string().min(1).max(200).optional(),
});
export type ListPaymentsInput = z.output<typeof listPaymentsInput>;

/** The id of a payment, as it comes from outside. */
export const paymentIdInput = z.object({ id: z.string().min(1).max(64) });
export type PaymentIdInput = z.output<typeof paymentIdInput>;

/** The provider's id of a subscription that is paid beside the one that gives the plan. */
export const heldSubscriptionInput = z.object({ id: z.string().min(1).max(64) });
export type HeldSubscriptionInput = z.output<typeof heldSubscriptionInput>;

/** Answer of `POST /api/users/subscription/cancel/`, and of `resume/`. */
export const cancelWire = z.object({ message: z.string(), subscription: subscriptionWire });
export type CancelWire = z.output<typeof cancelWire>;

/** An address of the provider's own pages: to be opened at once, for it does not live long. */
export const addressWire = z.object({ url: z.string() });
export type AddressWire = z.output<typeof addressWire>;

/** R-ENT-17. Only the id counts; the rest is a browser's word (R-PAY-03). */
export const purchaseConfirmation = z.object({
  transactionId: z.string().min(1).max(64),
  credits: z.unknown().optional(),
  amount: z.unknown().optional(),
});

/** R-ENT-16; A-59: the two addresses are taken and left alone. */
export const subscriptionConfirmation = z.object({
  transactionId: z.string().min(1).max(64),
  plan: z.unknown().optional(),
  price: z.unknown().optional(),
  subscriptionId: z.unknown().optional(),
  customerId: z.unknown().optional(),
  cancelUrl: z.unknown().optional(),
  updateUrl: z.unknown().optional(),
});

/** Answer of `POST /api/users/credits/purchase/`: `success` says that the credits are there (R-API-22). */
export const purchaseWire = z.object({
  success: z.boolean(),
  /** `pending`: paid, and the provider is still working on it; ask again in a moment. */
  status: z.enum(["completed", "pending"]),
  credits: z.number().int(),
  available_credits: z.number().int(),
  message: z.string(),
});
export type PurchaseWire = z.output<typeof purchaseWire>;

/** What somebody sets out to buy: `POST /api/users/checkout/`. */
export const checkoutInput = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("plan"), plan: z.enum(PAID_PLANS) }),
  z.object({ kind: z.literal("pack"), credits: z.union(PACK_CREDITS.map((credits) => z.literal(credits))) }),
]);
export type CheckoutInput = z.output<typeof checkoutInput>;

/** Its answer: all that the overlay is opened with (R-BUY-18, R-PRICE-12), beside the recorded purchase. */
export const checkoutWire = z.object({
  purchase_ref: z.string(),
  price_id: z.string(),
  customer_email: z.string(),
  custom_data: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type CheckoutWire = z.output<typeof checkoutWire>;

/** `GET /api/users/plans/`, for everybody: what is sold, and how a checkout is opened. Fields as R-PRICE-03 names them. */
export const catalogueWire = z.object({
  plans: z.array(
    z.object({
      id: slug,
      name: z.string(),
      price: z.number(),
      description: z.string(),
      features: z.array(z.string()),
      buttonText: z.string(),
      popular: z.boolean(),
      priceId: z.string().nullable(),
    }),
  ),
  packs: z.array(z.object({ plan: slug, credits: z.number().int(), price: z.number(), priceId: z.string() })),
  checkout: z.object({
    token: z.string(),
    environment: z.enum(["sandbox", "production"]),
    /** Address of the checkout's script where it is not the provider's own. */
    scriptUrl: z.string().nullable(),
  }),
});
export type CatalogueWire = z.output<typeof catalogueWire>;

/** `POST /api/users/subscription/change/`; with `preview` nothing changes and the cost is told. */
export const changeInput = z.object({ plan: z.enum(PAID_PLANS), preview: z.boolean().default(false) });

export type ChangeInput = z.output<typeof changeInput>;

export const changeWire = z.object({
  subscription: subscriptionWire.nullable(),
  preview: z
    .object({
      currency: z.string(),
      due_now: z.number(),
      next_total: z.number(),
      next_billed_at: moment.nullable(),
      /** `now`: an upgrade, charged for the rest of the period; `renewal`: a smaller plan from then on. */
      takes_effect: z.enum(["now", "renewal"]),
    })
    .nullable(),
});
export type ChangeWire = z.output<typeof changeWire>;

/** Data of the event that has a stored event of the provider applied. */
export const paymentEventReceived = z.object({ eventId: z.string() });
