import "server-only";
import { toMajor } from "#lib/core/money.ts";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import type { findPayments, findPurchases, findSubscriptions, RowOf } from "./queries.ts";

export const toExportedSubscription = (subscription: RowOf<typeof findSubscriptions>) => ({
  id: subscription.id,
  customer_id: subscription.customerId,
  plan: subscription.plan,
  status: subscription.status,
  period_starts_at: toIsoOrNull(subscription.periodStartsAt),
  period_ends_at: toIsoOrNull(subscription.periodEndsAt),
  next_billed_at: toIsoOrNull(subscription.nextBilledAt),
  scheduled_change: subscription.scheduledAction,
  scheduled_at: toIsoOrNull(subscription.scheduledAt),
  started_at: toIsoOrNull(subscription.startedAt),
  paused_at: toIsoOrNull(subscription.pausedAt),
  canceled_at: toIsoOrNull(subscription.canceledAt),
});

export const toExportedPurchase = (purchase: RowOf<typeof findPurchases>) => ({
  id: purchase.id,
  kind: purchase.kind,
  plan: purchase.plan,
  credits: purchase.credits,
  begun_at: toIso(purchase.createdAt),
});

type Paid = RowOf<typeof findPayments>;

const toExportedAdjustment = ({
  id,
  action,
  status,
  currency,
  totalMinor,
  createdAt,
}: Paid["adjustments"][number]) => ({
  id,
  action,
  status,
  amount: toMajor(totalMinor, currency),
  currency,
  created_at: toIso(createdAt),
});

export const toExportedPayment = (payment: Paid) => ({
  id: payment.id,
  customer_id: payment.customerId,
  subscription_id: payment.subscriptionId,
  purchase_id: payment.purchaseId,
  kind: payment.kind,
  plan: payment.plan,
  credits: payment.credits,
  amount: toMajor(payment.totalMinor, payment.currency),
  currency: payment.currency,
  payment_method: payment.method,
  status: payment.status,
  refused_because: payment.failure,
  invoice_number: payment.invoiceNumber,
  period_starts_at: toIsoOrNull(payment.periodStartsAt),
  period_ends_at: toIsoOrNull(payment.periodEndsAt),
  created_at: toIso(payment.createdAt),
  paid_at: toIsoOrNull(payment.paidAt),
  granted_at: toIsoOrNull(payment.grantedAt),
  refunds: payment.adjustments.map(toExportedAdjustment),
});
