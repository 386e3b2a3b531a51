import { z } from "zod";
import type {
  ChangePreview,
  CustomData,
  PaymentAdjustment,
  PaymentSubscription,
  PaymentTransaction,
  Period,
} from "./port.ts";

const METHOD_NAMES: ReadonlyMap<string, string> = new Map([
  ["paypal", "PayPal"],
  ["ideal", "iDEAL"],
  ["mb_way", "MB WAY"],
  ["upi", "UPI"],
  ["wechat_pay", "WeChat Pay"],
  ["wire_transfer", "Bank transfer"],
  ["offline", "Bank transfer"],
  ["south_korea_local_card", "Korean card"],
  ["korea_local", "Korean payment"],
  ["jcb", "JCB"],
  ["union_pay", "UnionPay"],
]);

const toTitle = (shortText: string): string =>
  METHOD_NAMES.get(shortText) ??
  shortText
    .split("_")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(" ")
    .slice(0, 40);

const formatMethod = (method: { type: string; card?: { type: string; last4: string } | null | undefined }): string => {
  if (method.card) {
    const brand = method.card.type === "unknown" ? "Card" : toTitle(method.card.type);
    return `${brand} ending in ${method.card.last4.slice(-4)}`;
  }
  return method.type === "unknown" ? "Other payment method" : toTitle(method.type);
};

// The shapes of SDK results, in camel case. Unknown fields are dropped.

const id = z.string().min(1).max(100);
const shortText = z.string().min(1).max(60);
const currency = z.string().regex(/^[A-Z]{3}$/);
const idOrNull = id.nullish().transform((value) => value ?? null);
const dateTime = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const dateTimeOrNull = dateTime.nullish().transform((value) => value ?? null);

/** Amounts arrive as text in the currency's smallest unit. */
const minorUnits = z
  .string()
  .regex(/^-?\d{1,15}$/)
  .transform(Number);

const period = z
  .object({ startsAt: dateTime, endsAt: dateTime })
  .nullish()
  .transform((value): Period | null => value ?? null);

/** Accepts only the format of our ids, because the browser could have sent anything. */
const hint = z
  .string()
  .regex(/^\w{1,100}$/)
  .nullish()
  .catch(null);

const customData = z
  .object({ user_id: hint, purchase_ref: hint })
  .nullish()
  .catch(null)
  .transform((raw): CustomData => ({ userId: raw?.user_id ?? null, purchaseRef: raw?.purchase_ref ?? null }));

const attempt = z.object({
  status: z.string(),
  errorCode: z.string().max(100).nullish(),
  createdAt: dateTime,
  methodDetails: z
    .object({ type: z.string(), card: z.object({ type: z.string(), last4: z.string() }).nullish().catch(null) })
    .nullish()
    .catch(null),
});
type Attempt = z.output<typeof attempt>;

const item = z.object({
  price: z.object({ id }).nullish(),
  priceId: id.nullish(),
  quantity: z.number().int(),
});

const totals = z.object({ total: minorUnits, grandTotal: minorUnits.nullish() });
/** The charged amount: the total less the customer's credit balance. */
const charged = ({ total, grandTotal }: z.output<typeof totals>): number => grandTotal ?? total;

const newestFirst = (attempts: readonly Attempt[]): Attempt[] =>
  attempts.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());

const readAttempts = (attempts: readonly Attempt[]): Pick<PaymentTransaction, "method" | "failure"> => {
  const [newest] = newestFirst(attempts);
  const paid = attempts.find(({ status }) => status === "captured") ?? newest;
  return {
    method: paid?.methodDetails ? formatMethod(paid.methodDetails) : null,
    failure: newest?.status === "error" ? (newest.errorCode ?? "declined") : null,
  };
};

export const transactionShape = z
  .object({
    id,
    status: z.enum(["draft", "ready", "billed", "paid", "completed", "canceled", "past_due"]),
    origin: shortText,
    customerId: idOrNull,
    subscriptionId: idOrNull,
    customData,
    items: z.array(item).max(100),
    billingPeriod: period,
    currencyCode: currency,
    details: z.object({ totals }),
    payments: z
      .array(attempt)
      .nullish()
      .transform((value) => value ?? []),
    invoiceNumber: z
      .string()
      .max(100)
      .nullish()
      .transform((value) => value ?? null),
    createdAt: dateTime,
    billedAt: dateTimeOrNull,
    updatedAt: dateTime,
  })
  .transform(
    ({ currencyCode, details, payments, items, ...same }): PaymentTransaction => ({
      ...same,
      ...readAttempts(payments),
      // Without a price id it cannot be an offer of ours.
      items: items.map(({ price, priceId, quantity }) => ({ priceId: price?.id ?? priceId ?? "", quantity })),
      currency: currencyCode,
      totalMinor: charged(details.totals),
    }),
  );

export const subscriptionShape = z
  .object({
    id,
    status: z.enum(["active", "trialing", "past_due", "paused", "canceled"]),
    customerId: id,
    customData,
    items: z.array(z.object({ price: z.object({ id }).nullish() })),
    currentBillingPeriod: period,
    nextBilledAt: dateTimeOrNull,
    scheduledChange: z
      .object({ action: z.enum(["cancel", "pause", "resume"]), effectiveAt: dateTime })
      .nullish()
      .transform((value) => value ?? null),
    startedAt: dateTimeOrNull,
    pausedAt: dateTimeOrNull,
    canceledAt: dateTimeOrNull,
    updatedAt: dateTime,
  })
  .transform(
    ({ items, currentBillingPeriod, ...same }): PaymentSubscription => ({
      ...same,
      priceId: items[0]?.price?.id ?? null,
      currentPeriod: currentBillingPeriod,
    }),
  );

export const adjustmentShape = z
  .object({
    id,
    action: shortText,
    status: shortText,
    transactionId: id,
    currencyCode: currency,
    totals: z.object({ total: minorUnits }),
    createdAt: dateTime,
    updatedAt: dateTimeOrNull,
  })
  .transform(
    ({ currencyCode, totals: { total }, updatedAt, ...same }): PaymentAdjustment => ({
      ...same,
      currency: currencyCode,
      totalMinor: total,
      updatedAt: updatedAt ?? same.createdAt,
    }),
  );

const priced = z.object({ details: z.object({ totals }) }).nullish();

export const previewShape = z
  .object({
    currencyCode: currency,
    nextBilledAt: dateTimeOrNull,
    immediateTransaction: priced,
    recurringTransactionDetails: z.object({ totals }),
  })
  .transform(
    (raw): ChangePreview => ({
      currency: raw.currencyCode,
      dueNowMinor: raw.immediateTransaction ? Math.max(0, charged(raw.immediateTransaction.details.totals)) : 0,
      nextTotalMinor: raw.recurringTransactionDetails.totals.total,
      nextBilledAt: raw.nextBilledAt,
    }),
  );

const webUrl = z.url({ protocol: /^https?$/ }).max(2_000);

export const invoiceShape = z.object({ url: webUrl }).transform(({ url }) => url);

/** A transaction waiting for its checkout. It has a URL once the seller has set a payment page. */
export const checkoutShape = z
  .object({ checkout: z.object({ url: webUrl }) })
  .transform(({ checkout: { url } }) => url);

export const portalShape = z
  .object({
    urls: z.object({
      general: z.object({ overview: webUrl }),
      subscriptions: z
        .array(z.object({ updateSubscriptionPaymentMethod: webUrl.nullish() }))
        .nullish()
        .transform((value) => value ?? []),
    }),
  })
  .transform(({ urls }) => urls.subscriptions[0]?.updateSubscriptionPaymentMethod ?? urls.general.overview);
