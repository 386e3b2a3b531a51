import { z } from "zod";
import type {
  ChangePreview,
  CustomData,
  PaymentAdjustment,
  PaymentSubscription,
  PaymentTransaction,
  Period,
} from "./port.ts";

const KNOWN: ReadonlyMap<string, string> = new Map([
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

/** `google_pay` → 'Google Pay'. */
const spell = (word: string): string =>
  KNOWN.get(word) ??
  word
    .split("_")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(" ")
    .slice(0, 40);

/** A way of paying, for people: 'Visa ending in 4242', 'PayPal'. Words we do not know are spelled as they come. */
const methodText = (method: { type: string; card?: { type: string; last4: string } | null | undefined }): string => {
  if (method.card) {
    const brand = method.card.type === "unknown" ? "Card" : spell(method.card.type);
    return `${brand} ending in ${method.card.last4.slice(-4)}`;
  }
  return method.type === "unknown" ? "Another way" : spell(method.type);
};

// Shapes of what the SDK makes of answers: the provider's names in camel case. Fields we do not know are left out.

const id = z.string().min(1).max(100);
const word = z.string().min(1).max(60);
const currency = z.string().regex(/^[A-Z]{3}$/);
const idOrNull = id.nullish().transform((value) => value ?? null);
const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const momentOrNull = moment.nullish().transform((value) => value ?? null);

/** Amounts come as text in the currency's smallest unit. */
const minor = z
  .string()
  .regex(/^-?\d{1,15}$/)
  .transform(Number);

const period = z
  .object({ startsAt: moment, endsAt: moment })
  .nullish()
  .transform((value): Period | null => value ?? null);

/** The shape of our ids and no other: what a browser wrote could hold what no table can. */
const hint = z
  .string()
  .regex(/^\w{1,100}$/)
  .nullish()
  .catch(null);

/** A browser wrote it: whatever is not a text of ours counts as absent. */
const customData = z
  .object({ user_id: hint, purchase_ref: hint })
  .nullish()
  .catch(null)
  .transform((raw): CustomData => ({ userId: raw?.user_id ?? null, purchaseRef: raw?.purchase_ref ?? null }));

const attempt = z.object({
  status: z.string(),
  errorCode: z.string().max(100).nullish(),
  createdAt: moment,
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

const totals = z.object({ total: minor, grandTotal: minor.nullish() });
/** What is charged: the total less what the customer had in credit. */
const charged = ({ total, grandTotal }: z.output<typeof totals>): number => grandTotal ?? total;

const newestFirst = (attempts: readonly Attempt[]): Attempt[] =>
  attempts.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime());

const readAttempts = (attempts: readonly Attempt[]): Pick<PaymentTransaction, "method" | "failure"> => {
  const [newest] = newestFirst(attempts);
  const paid = attempts.find(({ status }) => status === "captured") ?? newest;
  return {
    method: paid?.methodDetails ? methodText(paid.methodDetails) : null,
    failure: newest?.status === "error" ? (newest.errorCode ?? "declined") : null,
  };
};

/** A transaction. */
export const transactionShape = z
  .object({
    id,
    status: z.enum(["draft", "ready", "billed", "paid", "completed", "canceled", "past_due"]),
    origin: word,
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
    createdAt: moment,
    billedAt: momentOrNull,
    updatedAt: moment,
  })
  .transform(
    ({ currencyCode, details, payments, items, ...same }): PaymentTransaction => ({
      ...same,
      ...readAttempts(payments),
      // A price that is not named is none of ours.
      items: items.map(({ price, priceId, quantity }) => ({ priceId: price?.id ?? priceId ?? "", quantity })),
      currency: currencyCode,
      totalMinor: charged(details.totals),
    }),
  );

/** A subscription. */
export const subscriptionShape = z
  .object({
    id,
    status: z.enum(["active", "trialing", "past_due", "paused", "canceled"]),
    customerId: id,
    customData,
    items: z.array(z.object({ price: z.object({ id }).nullish() })),
    currentBillingPeriod: period,
    nextBilledAt: momentOrNull,
    scheduledChange: z
      .object({ action: z.enum(["cancel", "pause", "resume"]), effectiveAt: moment })
      .nullish()
      .transform((value) => value ?? null),
    startedAt: momentOrNull,
    pausedAt: momentOrNull,
    canceledAt: momentOrNull,
    updatedAt: moment,
  })
  .transform(
    ({ items, currentBillingPeriod, ...same }): PaymentSubscription => ({
      ...same,
      priceId: items[0]?.price?.id ?? null,
      currentPeriod: currentBillingPeriod,
    }),
  );

/** An adjustment: a refund, a chargeback. */
export const adjustmentShape = z
  .object({
    id,
    action: word,
    status: word,
    transactionId: id,
    currencyCode: currency,
    totals: z.object({ total: minor }),
    createdAt: moment,
    updatedAt: momentOrNull,
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

/** What a change of a subscription would cost. */
export const previewShape = z
  .object({
    currencyCode: currency,
    nextBilledAt: momentOrNull,
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

const address = z.url({ protocol: /^https?$/ }).max(2_000);

/** An invoice's address. */
export const invoiceShape = z.object({ url: address }).transform(({ url }) => url);

/** A transaction that waits for its checkout; it has an address once the seller has named a page for it. */
export const checkoutShape = z
  .object({ checkout: z.object({ url: address }) })
  .transform(({ checkout: { url } }) => url);

/** A customer's portal, opened for one subscription. */
export const portalShape = z
  .object({
    urls: z.object({
      general: z.object({ overview: address }),
      subscriptions: z
        .array(z.object({ updateSubscriptionPaymentMethod: address.nullish() }))
        .nullish()
        .transform((value) => value ?? []),
    }),
  })
  .transform(({ urls }) => urls.subscriptions[0]?.updateSubscriptionPaymentMethod ?? urls.general.overview);
