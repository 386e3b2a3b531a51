import "server-only";
import { z } from "zod";
import { type Call, type Connection, createCall, withValidIds } from "./call.ts";
import { createCatalogCalls } from "./catalog.ts";
import { eventShape, isSigned, readEventBody } from "./events.ts";
import type { PaymentResult, PaymentSubscription, PaymentsPort } from "./port.ts";
import { checkoutShape, invoiceShape, portalShape, previewShape, subscriptionShape, transactionShape } from "./wire.ts";

interface PaymentsOptions extends Connection {
  webhookSecrets: readonly string[];
}

const EVENTS_PER_PAGE = 200;

const PRORATION = { prorate: "prorated_immediately", free: "do_not_bill" } as const;

const changeOf = (priceId: string, billing: keyof typeof PRORATION) => ({
  items: [{ priceId, quantity: 1 }],
  prorationBillingMode: PRORATION[billing],
  // A declined card leaves the old price in place.
  onPaymentFailure: "prevent_change" as const,
});

/** A write may be refused because it was already done: a subscription in the wanted state counts as success. */
const acceptIfDone = async (
  call: Call,
  id: string,
  result: PaymentResult<PaymentSubscription>,
  isWanted: (subscription: PaymentSubscription) => boolean,
): Promise<PaymentResult<PaymentSubscription>> => {
  if (result.kind === "ok" || result.problem.kind !== "refused") return result;
  const now = await call((paddle) => paddle.subscriptions.get(id), subscriptionShape);
  return now.kind === "ok" && isWanted(now.value) ? now : result;
};

const isEnding = ({ status, scheduledChange }: PaymentSubscription): boolean =>
  status === "canceled" || scheduledChange?.action === "cancel";

const createSubscriptionCalls = (
  call: Call,
): Pick<
  PaymentsPort,
  "getSubscription" | "cancelSubscription" | "keepSubscription" | "restartSubscription" | "changePrice" | "previewPrice"
> => ({
  getSubscription: (id) =>
    withValidIds({ subscription: id }, () => call((paddle) => paddle.subscriptions.get(id), subscriptionShape)),
  cancelSubscription: (id, when) =>
    withValidIds({ subscription: id }, async () => {
      const effectiveFrom = when === "now" ? "immediately" : "next_billing_period";
      const result = await call((paddle) => paddle.subscriptions.cancel(id, { effectiveFrom }), subscriptionShape);
      const isWanted = when === "now" ? ({ status }: PaymentSubscription) => status === "canceled" : isEnding;
      return acceptIfDone(call, id, result, isWanted);
    }),
  keepSubscription: (id) =>
    withValidIds({ subscription: id }, async () => {
      const change = { scheduledChange: null };
      const result = await call((paddle) => paddle.subscriptions.update(id, change), subscriptionShape);
      return acceptIfDone(call, id, result, (item) => item.status !== "canceled" && item.scheduledChange === null);
    }),
  restartSubscription: (id) =>
    withValidIds({ subscription: id }, async () => {
      const resume = { effectiveFrom: "immediately" as const };
      const result = await call((paddle) => paddle.subscriptions.resume(id, resume), subscriptionShape);
      return acceptIfDone(call, id, result, ({ status }) => status !== "paused" && status !== "canceled");
    }),
  changePrice: (id, priceId, billing) =>
    withValidIds({ subscription: id }, () =>
      call((paddle) => paddle.subscriptions.update(id, changeOf(priceId, billing)), subscriptionShape),
    ),
  previewPrice: (id, priceId, billing) =>
    withValidIds({ subscription: id }, () =>
      call((paddle) => paddle.subscriptions.previewUpdate(id, changeOf(priceId, billing)), previewShape),
    ),
});

/** Paddle Billing through its SDK. Every answer is validated, and problems get texts of ours. */
export const createPayments = ({ webhookSecrets, ...connection }: PaymentsOptions): PaymentsPort => {
  const call = createCall(connection);
  return {
    ...createSubscriptionCalls(call),
    ...createCatalogCalls(call),
    isAuthentic: (input) => isSigned(input, webhookSecrets),
    readEvent: readEventBody,
    getTransaction: (id) =>
      withValidIds({ transaction: id }, () => call((paddle) => paddle.transactions.get(id), transactionShape)),
    invoiceUrl: (transactionId) =>
      withValidIds({ transaction: transactionId }, () =>
        call((paddle) => paddle.transactions.getInvoicePDF(transactionId), invoiceShape),
      ),
    portalUrl: (customerId, subscriptionId) =>
      withValidIds({ customer: customerId, subscription: subscriptionId }, () =>
        call((paddle) => paddle.customerPortalSessions.create(customerId, [subscriptionId]), portalShape),
      ),
    paymentMethodUrl: (subscriptionId) =>
      withValidIds({ subscription: subscriptionId }, () =>
        call((paddle) => paddle.subscriptions.getPaymentMethodChangeTransaction(subscriptionId), checkoutShape),
      ),
    listEvents: (afterEventId) =>
      withValidIds(afterEventId === null ? {} : { event: afterEventId }, () => {
        const page = {
          perPage: EVENTS_PER_PAGE,
          orderBy: "id[ASC]",
          ...(afterEventId !== null && { after: afterEventId }),
        };
        return call((paddle) => paddle.events.list(page).next(), z.array(eventShape));
      }),
  };
};
