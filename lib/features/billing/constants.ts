import { formatCount } from "#lib/core/text.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** Only subscription fees are refunded; credit packs are not. */
export const REFUND_WINDOW_DAYS = { monthly: 14, annual: 30 } as const;

export const REFUND_REVIEW_BUSINESS_DAYS = 2;

export const REFUND_TRANSIT_BUSINESS_DAYS = { card: "5-10", paypal: "3-5", bankTransfer: "5-7" } as const;

export const PAYMENTS_PAGE_MAX = 200;

export const CHANGE_POLL_MS = 2 * SECOND_MS;
export const CHANGE_POLLS_MAX = 20;

/** Longer than all provider calls of a plan change together. */
export const CHANGE_LEASE_MS = 3 * MINUTE_MS;

export const SETTINGS_TEXTS = {
  canceled: "Your subscription has been canceled. You'll still have access until the end of your billing period.",
  canceledAtOnce: "Your subscription has been canceled.",
  cancelFailed: "Failed to cancel subscription. Please try again or contact support.",
  nothingToCancel: "You don't have a paid plan to cancel.",
  resumed: "Your subscription is back on and will renew as usual.",
  resumeFailed: "We couldn't undo the cancellation. Please try again or contact support.",
  restarted: "Your plan has been resumed. It'll be active as soon as the payment goes through.",
  restartFailed: "We couldn't resume your plan. Update your payment method, then try again.",
  nothingToResume: "Your plan has ended. Choose a new one on the pricing page.",
  nothingToChange: "You don't have a paid plan to change. Choose one on the pricing page.",
  changeCanceling: "Your plan is set to end. To change it, first select Keep my plan in Settings.",
  changePastDue: "Your last payment failed. Update your payment method in Settings first.",
  changePaused: "Your plan is paused because a payment failed. Update your payment method in Settings first.",
  alreadyOnPlan: "You're already on this plan.",
  alreadyScheduled: "You're already set to switch to this plan at your next renewal.",
  changePending: "A payment for your last plan change is still processing. Please try again in a minute.",
  changeInProgress: "Another plan change is in progress. Please try again in a minute.",
  changeDelayed: "Your payment went through, but your new plan isn't active yet. It'll show up in Settings soon.",
  changeDeclined: "Your payment was declined. Nothing has changed. Update your payment method, then try again.",
  changeAtRenewal: "Your plan is renewing right now. Please try again in half an hour.",
  changeFailed: "We couldn't change your plan. Please try again or contact support.",
  nothingToManage: "You don't have a paid plan, so there's no payment method to update.",
  portalFailed: "We couldn't open the payment page. Please try again or contact support.",
  noReceipt: "There's no receipt for this payment.",
  receiptFailed: "We couldn't open the receipt. Please try again or contact support.",
  unknownOutcome:
    "The payment provider didn't respond in time, so we can't tell if this went through. Check again in a minute before you retry.",
  paymentsFailed: "We couldn't load your payments. Please try again.",
  subscriptionFailed: "We couldn't refresh your plan. What you see may be out of date.",
} as const;

export const CHECKOUT_DELAY_MS = 100;

export const BUY_TEXTS = {
  title: "Buy Credits",
  purchase: "Purchase Credits",
  processing: "Processing...",
  trust: ["Secure Payment", "Instant Credit", "Multiple Payment Options"],
  noPack: "Please select a credit package",
  notReady: "Payment system is not ready. Please try again.",
  noUser: "User information is missing. Please refresh or contact support.",
  noPrice: "Price ID not found for this credit package and plan",
  subscriptionFailed: "Failed to fetch subscription data",
  confirmFailed: "Failed to confirm purchase. Please contact support.",
  paymentFailed: "Failed to process payment",
} as const;

export const purchasedText = (credits: number): string => `Successfully purchased ${formatCount(credits)} credits!`;

export const includedText = (credits: number): string =>
  `Your plan includes ${formatCount(credits)} credits per billing cycle`;

export const PRICING_TEXTS = {
  authFailed: "Failed to verify authentication status",
  subscriptionFailed: "Failed to fetch subscription status",
  loadFailed: "Failed to initialize payment system",
  notReady: "Payment system is not ready. Please try again.",
  noCustomer: "Customer information is missing. Please refresh or contact support.",
  upgradeFailed: "Failed to initiate upgrade. Please try again.",
  confirmFailed: "Failed to confirm subscription. Please contact support.",
} as const;

export const upgradedText = (planName: string): string =>
  `Successfully upgraded to ${planName}! Your subscription will auto-renew monthly.`;

export const CHECKOUT_TEXTS = {
  hasPlan: "You already have a paid plan. Change it instead of buying a second one.",
  isPaused: "Your subscription is paused. Update your payment method in Settings to resume it.",
} as const;

export const CONFIRM_TEXTS = {
  pending: "Your payment is still processing. This takes a moment.",
  notPaid: "This payment hasn't been completed. If you were charged, please contact support.",
  notCredits: "This payment was for a plan, not credits. Check your plan in Settings.",
  notPlan: "This payment was for credits, not a plan. Check your balance on Buy Credits.",
  held: "We received your payment, but we couldn't match it to your plan. Our support team has been notified and will get in touch.",
} as const;

/** More packs in one checkout, all sizes together, are treated as a mistake or abuse. */
export const PACKS_MAX = 10;

/** Payments that start a paid period. */
export const BASE_ORIGINS: readonly string[] = ["web", "api", "subscription_recurring"];
export const UPGRADE_ORIGIN = "subscription_update";
/** Zero payment that replaces a card. */
export const CARD_CHANGE_ORIGIN = "subscription_payment_method_change";

/** How long a recorded purchase may be paid at the price of the plan at that time. */
export const PURCHASE_VALID_MS = 7 * DAY_MS;

/** How long an unsettled plan payment blocks the purchase of another plan. */
export const PLAN_PENDING_MS = 6 * HOUR_MS;

/** Reasons why a payment is held, as shown to support. The keys are stored. */
export const HELD_REASONS = {
  unknown_price: "It was made at a price that isn't in our table, or in a quantity we don't sell.",
  foreign_price: "A pack was bought at the price of a plan the buyer doesn't have.",
  second_subscription: "The user is paying for a second subscription in addition to the one that provides their plan.",
  closed_user: "The account was deleted before the payment arrived.",
  unplaced: "It was for a plan, but it doesn't match any billing period we know.",
  nobody: "We can't tell which user made it.",
  unreadable: "An event from the payment provider couldn't be read, so nothing was applied.",
} as const;
export type HeldReason = keyof typeof HELD_REASONS;

export const RELEASE_TEXTS = {
  unknown: "This payment doesn't exist.",
  notHeld: "This payment isn't on hold: it was already granted or closed, or it isn't complete.",
  noUser: "We don't know who made this payment. Refund it, then close it with --refunded.",
  closedUser: "The user deleted their account. Refund it, then close it with --refunded.",
  plan: "Plans can't be granted by hand. End the extra subscription and refund its payment, then close it with --refunded.",
  howMany:
    "Its price isn't in our table. Add its ID to PADDLE_PRICES, or specify how many credits to grant: --credits N.",
  fixed: "It is for a different number of credits. Leave out --credits.",
} as const;

/** Doubles each time up to the maximum. */
export const SWEEP_DELAY_MIN_MS = 2 * MINUTE_MS;
export const SWEEP_DELAY_MAX_MS = 6 * HOUR_MS;
export const SWEEP_BATCH = 200;
