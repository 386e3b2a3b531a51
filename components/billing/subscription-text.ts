import type { ChipTone } from "#components/ui/chip.tsx";
import { formatDollars } from "#lib/core/money.ts";
import { formatDate } from "#lib/core/time.ts";
import { PLANS } from "#lib/features/billing/plans.ts";
import type { SubscriptionStatusWire, SubscriptionWire } from "#lib/features/billing/schema.ts";

/** Text and color of a status: active green, trial blue, canceling yellow, others red. */
export function statusChip(status: SubscriptionStatusWire): { text: string; tone: ChipTone } {
  switch (status) {
    case "active":
      return { text: "Active", tone: "published" };
    case "trial":
      return { text: "Trial", tone: "scheduled" };
    case "active (canceling)":
      return { text: "Canceling", tone: "canceling" };
    case "canceled":
      return { text: "Canceled", tone: "failed" };
    default:
      return { text: "No subscription", tone: "failed" };
  }
}

/** Label and value of a subscription's date; null without a date. */
export function dateText(
  { status, end_date, next_plan, payment_problem }: SubscriptionWire,
  timeZone: string,
): { label: string; value: string } | null {
  if (end_date === null) return null;
  const value = formatDate(end_date, timeZone);
  if (status === "active (canceling)") return { label: "Ends on", value };
  if (status === "canceled") return { label: payment_problem === "paused" ? "Paused on" : "Ended on", value };
  return { label: next_plan === null ? "Renews on" : "Changes on", value };
}

/** The list price. The real charge may include taxes and use another currency. */
export const listPriceText = (slug: SubscriptionWire["plan"]["slug"]): string =>
  PLANS[slug].priceTenthsOfCent === 0 ? priceText(slug) : `${priceText(slug)}, in US dollars before tax`;

/** A plan's price as text: '$29 a month' or 'Free'. */
export function priceText(slug: SubscriptionWire["plan"]["slug"]): string {
  const { priceTenthsOfCent } = PLANS[slug];
  return priceTenthsOfCent === 0 ? "Free" : `${formatDollars(priceTenthsOfCent)} a month`;
}
