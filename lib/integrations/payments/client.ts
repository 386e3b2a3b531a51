import "server-only";
import { z } from "zod";
import { type Call, type Connection, createCall, withIds } from "./call.ts";
import { createCatalogueCalls } from "./catalogue.ts";
import { eventShape, isSigned, readEventBody } from "./events.ts";
import type { PaymentAnswer, PaymentSubscription, PaymentsPort } from "./port.ts";
import { checkoutShape, invoiceShape, portalShape, previewShape, subscriptionShape, transactionShape } from "./wire.ts";

export interface PaymentsOptions extends Connection {
  webhookSecrets: readonly string[];
}

/** Events a page of the list may hold. */
const EVENTS_PER_PAGE = 200;

/** How a change of price is charged, in the provider's words. */
const PRORATION = { prorate: "prorated_immediately", free: "do_not_bill" } as const;

const changeOf = (priceId: string, billing: keyof typeof PRORATION) => ({
  items: [{ priceId, quantity: 1 }],
  prorationBillingMode: PRORATION[billing],
  // A declined card leaves the old price in place.
  onPaymentFailure: "prevent_change" as const,
});

/**
 * What a write means that was refused since it was done already: the subscription as it is, where it is as was wanted;
 * else the refusal.
 */
const settledBefore = async (
  call: Call,
  id: string,
  wrote: PaymentAnswer<PaymentSubscription>,
  isWanted: (subscription: PaymentSubscription) => boolean,
): Promise<PaymentAnswer<PaymentSubscription>> => {
  if (wrote.kind === "ok" || wrote.problem.kind !== "refused") return wrote;
  const now = await call((paddle) => paddle.subscriptions.get(id), subscriptionShape);
  return now.kind === "ok" && isWanted(now.value) ? now : wrote;
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
    withIds({ subscription: id }, () => call((paddle) => paddle.subscriptions.get(id), subscriptionShape)),
  cancelSubscription: (id, when) =>
    withIds({ subscription: id }, async () => {
      const effectiveFrom = when === "now" ? "immediately" : "next_billing_period";
      const wrote = await call((paddle) => paddle.subscriptions.cancel(id, { effectiveFrom }), subscriptionShape);
      const isWanted = when === "now" ? ({ status }: PaymentSubscription) => status === "canceled" : isEnding;
      return settledBefore(call, id, wrote, isWanted);
    }),
  keepSubscription: (id) =>
    withIds({ subscription: id }, async () => {
      const change = { scheduledChange: null };
      const wrote = await call((paddle) => paddle.subscriptions.update(id, change), subscriptionShape);
      return settledBefore(call, id, wrote, (one) => one.status !== "canceled" && one.scheduledChange === null);
    }),
  restartSubscription: (id) =>
    withIds({ subscription: id }, async () => {
      const resume = { effectiveFrom: "immediately" as const };
      const wrote = await call((paddle) => paddle.subscriptions.resume(id, resume), subscriptionShape);
      return settledBefore(call, id, wrote, ({ status }) => status !== "paused" && status !== "canceled");
    }),
  changePrice: (id, priceId, billing) =>
    withIds({ subscription: id }, () =>
      call((paddle) => paddle.subscriptions.update(id, changeOf(priceId, billing)), subscriptionShape),
    ),
  previewPrice: (id, priceId, billing) =>
    withIds({ subscription: id }, () =>
      call((paddle) => paddle.subscriptions.previewUpdate(id, changeOf(priceId, billing)), previewShape),
    ),
});

/** Paddle Billing through its own SDK: every answer is checked, every problem told in our words (BRIEF §5). */
export const createPayments = ({ webhookSecrets, ...connection }: PaymentsOptions): PaymentsPort => {
  const call = createCall(connection);
  return {
    ...createSubscriptionCalls(call),
    ...createCatalogueCalls(call),
    isGenuine: (input) => isSigned(input, webhookSecrets),
    readEvent: readEventBody,
    getTransaction: (id) =>
      withIds({ transaction: id }, () => call((paddle) => paddle.transactions.get(id), transactionShape)),
    invoiceUrl: (transactionId) =>
      withIds({ transaction: transactionId }, () =>
        call((paddle) => paddle.transactions.getInvoicePDF(transactionId), invoiceShape),
      ),
    portalUrl: (customerId, subscriptionId) =>
      withIds({ customer: customerId, subscription: subscriptionId }, () =>
        call((paddle) => paddle.customerPortalSessions.create(customerId, [subscriptionId]), portalShape),
      ),
    paymentMethodUrl: (subscriptionId) =>
      withIds({ subscription: subscriptionId }, () =>
        call((paddle) => paddle.subscriptions.getPaymentMethodChangeTransaction(subscriptionId), checkoutShape),
      ),
    listEvents: (afterEventId) =>
      withIds(afterEventId === null ? {} : { event: afterEventId }, () => {
        const page = {
          perPage: EVENTS_PER_PAGE,
          orderBy: "id[ASC]",
          ...(afterEventId !== null && { after: afterEventId }),
        };
        return call((paddle) => paddle.events.list(page).next(), z.array(eventShape));
      }),
  };
};
