import { z } from "zod";
import { PAYMENTS_PAGE_MAX } from "./constants.ts";
import { PACK_CREDITS, PAID_PLANS } from "./plans.ts";

const slug = z.enum(["free", "basic", "growth", "pro"]);
const dateTime = z.iso.datetime({ offset: true });

/** The provider's other statuses are reported in `payment_problem`. */
export const subscriptionStatus = z.enum(["active", "trial", "active (canceling)", "canceled", "no_subscription"]);
export type SubscriptionStatusWire = z.output<typeof subscriptionStatus>;

/** Prices are in dollars. */
export const subscriptionWire = z.object({
  status: subscriptionStatus,
  auto_renew: z.boolean(),
  /** Null without a paid plan so far. */
  end_date: dateTime.nullable(),
  plan: z.object({
    id: z.string(),
    name: z.string(),
    slug,
    price: z.number(),
    features: z.object({ extra_credit_price: z.number(), credits: z.number().int() }),
  }),
  /** Also the plan a paused subscription resumes with; null when nothing changes. */
  next_plan: slug.nullable(),
  /** `past_due`: a renewal failed and is retried; `paused`: the subscription waits for a payment. */
  payment_problem: z.enum(["past_due", "paused"]).nullable(),
  /** `pending`: the provider is still processing the payment. */
  confirmation: z.enum(["completed", "pending"]).optional(),
});
export type SubscriptionWire = z.output<typeof subscriptionWire>;

/** `amount` is in major units of `currency`. Any status but 'successful' and 'pending' means failed. */
export const paymentWire = z.object({
  id: z.string(),
  amount: z.number(),
  currency: z.string(),
  payment_method: z.string(),
  transaction_id: z.string(),
  payment_date: dateTime,
  status: z.string(),
  description: z.string(),
  has_receipt: z.boolean(),
  /** Includes chargebacks. */
  refunded: z.number(),
});
export type PaymentWire = z.output<typeof paymentWire>;

export const listPaymentsInput = z.object({
  limit: z.coerce.number("The limit must be a number.").int().min(1).max(PAYMENTS_PAGE_MAX).optional(),
  cursor: z.string().min(1).max(200).optional(),
});
export type ListPaymentsInput = z.output<typeof listPaymentsInput>;

export const paymentIdInput = z.object({ id: z.string().min(1).max(64) });
export type PaymentIdInput = z.output<typeof paymentIdInput>;

export const heldSubscriptionInput = z.object({ id: z.string().min(1).max(64) });
export type HeldSubscriptionInput = z.output<typeof heldSubscriptionInput>;

export const cancelWire = z.object({ message: z.string(), subscription: subscriptionWire });
export type CancelWire = z.output<typeof cancelWire>;

export const urlWire = z.object({ url: z.string() });
export type UrlWire = z.output<typeof urlWire>;

/** Only the id is used; the rest comes from the browser and is ignored. */
export const purchaseConfirmation = z.object({
  transactionId: z.string().min(1).max(64),
  credits: z.unknown().optional(),
  amount: z.unknown().optional(),
});

/** As `purchaseConfirmation`. */
export const subscriptionConfirmation = z.object({
  transactionId: z.string().min(1).max(64),
  plan: z.unknown().optional(),
  price: z.unknown().optional(),
  subscriptionId: z.unknown().optional(),
  customerId: z.unknown().optional(),
  cancelUrl: z.unknown().optional(),
  updateUrl: z.unknown().optional(),
});

/** `success`: the credits have been granted. */
const purchaseWire = z.object({
  success: z.boolean(),
  status: z.enum(["completed", "pending"]),
  credits: z.number().int(),
  available_credits: z.number().int(),
  message: z.string(),
});
export type PurchaseWire = z.output<typeof purchaseWire>;

export const checkoutInput = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("plan"), plan: z.enum(PAID_PLANS) }),
  z.object({ kind: z.literal("pack"), credits: z.union(PACK_CREDITS.map((credits) => z.literal(credits))) }),
]);
export type CheckoutInput = z.output<typeof checkoutInput>;

export const checkoutWire = z.object({
  purchase_ref: z.string(),
  price_id: z.string(),
  customer_email: z.string(),
  custom_data: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type CheckoutWire = z.output<typeof checkoutWire>;

export const catalogWire = z.object({
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
    scriptUrl: z.string().nullable(),
  }),
});
export type CatalogWire = z.output<typeof catalogWire>;

/** With `preview` nothing changes. */
export const changeInput = z.object({ plan: z.enum(PAID_PLANS), preview: z.boolean().default(false) });

export const changeWire = z.object({
  subscription: subscriptionWire.nullable(),
  preview: z
    .object({
      currency: z.string(),
      due_now: z.number(),
      next_total: z.number(),
      next_billed_at: dateTime.nullable(),
      takes_effect: z.enum(["now", "renewal"]),
      /** Credits that are added for the rest of the period; 0 at renewal. */
      credits_now: z.number(),
    })
    .nullable(),
});
export type ChangeWire = z.output<typeof changeWire>;

export const paymentEventReceived = z.object({ eventId: z.string() });
