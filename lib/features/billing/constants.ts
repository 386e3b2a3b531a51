import { formatCount } from "#lib/core/text.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** Days in which a subscription fee is paid back on request; credit packs are not (R-CONST-08, A-07, A-08). */
export const REFUND_WINDOW_DAYS = { monthly: 14, annual: 30 } as const;

/** R-CONST-09 */
export const REFUND_REVIEW_BUSINESS_DAYS = 2;

/** Business days until the money arrives, by the way it was paid (R-CONST-10). */
export const REFUND_TRANSIT_BUSINESS_DAYS = { card: "5-10", paypal: "3-5", bankTransfer: "5-7" } as const;

/** Payments of one page at most. */
export const PAYMENTS_PAGE_MAX = 200;

/** How often a screen looks whether a plan that was paid for is there, and how many times. */
export const CHANGE_POLL_MS = 2 * SECOND_MS;
export const CHANGE_POLLS_MAX = 20;

/** How long one change of a plan keeps others out: longer than its calls to the provider can take together. */
export const CHANGE_LEASE_MS = 3 * MINUTE_MS;

/** Texts of the settings (R-SET, R-ERR-18, R-ERR-19), and what the calls behind them answer. */
export const SETTINGS_TEXTS = {
  canceled: "Your subscription has been canceled. You'll still have access until the end of your billing period.",
  canceledAtOnce: "Your subscription has been canceled.",
  cancelFailed: "Failed to cancel subscription. Please try again or contact support.",
  nothingToCancel: "You have no paid plan to cancel.",
  kept: "Your subscription goes on and renews as before.",
  keepFailed: "The cancellation could not be taken back. Please try again or contact support.",
  restarted: "Your plan goes on. It is there as soon as the payment is through.",
  restartFailed: "Your plan could not be resumed. Update your payment method, then try again.",
  nothingToKeep: "Your plan has ended. Choose one on the pricing page.",
  nothingToChange: "You have no paid plan to change. Choose one on the pricing page.",
  changeCanceling: "Your plan is set to end. Keep it first, in Settings, then change it.",
  changePastDue: "Your last payment failed. Update your payment method in Settings first.",
  changePaused: "Your plan is paused because a payment failed. Update your payment method in Settings first.",
  changeNeedless: "This is your plan already.",
  changeScheduled: "Your next renewal changes to this plan already.",
  changeWaits: "A change of your plan is still being paid. Please try again in a minute.",
  changeUnderWay: "Another change of your plan is under way. Please try again in a minute.",
  changeLate: "Your payment went through, and the new plan is still on its way. It will show in Settings.",
  changeDeclined: "Your payment was declined. Nothing has changed. Update your payment method, then try again.",
  changeAtRenewal: "Your plan is being renewed at this moment. Please try again in half an hour.",
  changeFailed: "Your plan could not be changed. Please try again or contact support.",
  nothingToManage: "You have no paid plan, so there is no payment method to update.",
  portalFailed: "The payment page could not be opened. Please try again or contact support.",
  noReceipt: "There is no receipt for this payment.",
  receiptFailed: "The receipt could not be opened. Please try again or contact support.",
  unknownOutcome:
    "The payment provider did not answer in time, so it is not certain whether this was done. Please look again in a minute before you repeat it.",
  paymentsFailed: "Your payments could not be loaded. Please try again.",
  subscriptionFailed: "Your plan could not be read just now. What you see may be out of date.",
} as const;

/** The checkout opens so long after it was asked for (R-TIME-07). */
export const CHECKOUT_DELAY_MS = 100;

/** Literal texts of Buy Credits (R-BUY-01, R-BUY-08, R-BUY-09, R-BUY-11 to R-BUY-16, R-BUY-20, R-BUY-21). */
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

/** R-BUY-20 */
export const purchasedText = (credits: number): string => `Successfully purchased ${formatCount(credits)} credits!`;

/** R-BUY-04 */
export const includedText = (credits: number): string =>
  `Your plan includes ${formatCount(credits)} credits per billing cycle`;

/** Literal texts of Pricing (R-PRICE-15 to R-PRICE-21). */
export const PRICING_TEXTS = {
  authFailed: "Failed to verify authentication status",
  subscriptionFailed: "Failed to fetch subscription status",
  loadFailed: "Failed to initialize payment system",
  notReady: "Payment system is not ready. Please try again.",
  noCustomer: "Customer information is missing. Please refresh or contact support.",
  upgradeFailed: "Failed to initiate upgrade. Please try again.",
  confirmFailed: "Failed to confirm subscription. Please contact support.",
} as const;

/** */
export const upgradedText = (planName: string): string =>
  `Successfully upgraded to ${planName}! Your subscription will auto-renew monthly.`;

/** Why a checkout is not begun. */
export const CHECKOUT_TEXTS = {
  hasPlan: "You already have a paid plan. Change it instead of buying a second one.",
  isPaused: "Your subscription is paused. Update your payment method in Settings to go on with it.",
} as const;

/** What a confirmation says when it is not simply done. */
export const CONFIRM_TEXTS = {
  pending: "Your payment is being completed. It takes a moment.",
  notPaid: "This payment is not completed.",
  notCredits: "This payment is not for credits.",
  notPlan: "This payment is not for a plan.",
  held: "Your payment arrived, but could not be matched with your plan. Support was told and will get in touch.",
} as const;

/** Packs of one checkout, all sizes together: more is taken for a slip or a trick. */
export const PACKS_MAX = 10;

/** Origins of the payments that begin a paid period: the first one, and each renewal. */
export const BASE_ORIGINS: readonly string[] = ["web", "api", "subscription_recurring"];
/** Origin of a payment for the change to a larger plan within a period. */
export const RAISE_ORIGIN = "subscription_update";
/** Origin of a payment of nothing, by which a card is exchanged. */
export const CARD_ORIGIN = "subscription_payment_method_change";

/** So long a checkout that was begun may be paid at the price of that day's plan. */
export const PURCHASE_LIFE_MS = 7 * DAY_MS;

/** So long a plan's payment that is not through, or not given yet, keeps a second one from being begun. */
export const PLAN_PENDING_MS = 6 * HOUR_MS;

/** Why something that was paid gives nothing, for support. */
export const HELD_REASONS = {
  unknown_price: "It was paid at a price that is not in our table, or in a number we do not sell.",
  foreign_price: "A pack was paid at the price of a plan that its buyer has not got.",
  second_subscription: "The user pays for a second subscription beside the one that gives the plan.",
  closed_user: "The account was deleted before the payment came.",
  unplaced: "It was paid for a plan, but for no month of a subscription that we know.",
  nobody: "Nothing tells which user paid it.",
  unreadable: "An event of the payment provider could not be read; nothing followed from it.",
} as const;
export type HeldReason = keyof typeof HELD_REASONS;

/** What an operator reads who wants to settle a held payment that cannot be settled so. */
export const RELEASE_TEXTS = {
  unknown: "There is no such payment.",
  notHeld: "This payment is not held: it was given or closed already, or is not completed.",
  nobody: "Nobody knows whose payment it is. Refund it, then close it with --refunded.",
  closedUser: "Its user deleted the account. Refund it, then close it with --refunded.",
  plan: "A plan is not given by hand. End the subscription that is too many and refund its payment, then close it with --refunded.",
  howMany:
    "Its price is not in our table. Add its id to PADDLE_PRICES, or say how many credits it is to give: --credits N.",
  fixed: "It is for another number of credits. Leave --credits out.",
} as const;

/** After so long the sweep sends another durable event for one that nobody applied; each time after twice as long. */
export const EVENT_FIRST_MS = 2 * MINUTE_MS;
export const EVENT_LONGEST_MS = 6 * HOUR_MS;
export const SWEEP_BATCH = 200;
