import type { ChipTone } from "#components/ui/chip.tsx";
import { formatDollars } from "#lib/core/money.ts";
import { formatDate } from "#lib/core/time.ts";
import { PLANS } from "#lib/features/billing/plans.ts";
import type { SubscriptionStatusWire, SubscriptionWire } from "#lib/features/billing/schema.ts";

/** Word and colour of a status: active green, trial blue, canceling yellow, every other red (R-SUB-03). */
export function statusLook(status: SubscriptionStatusWire): { word: string; tone: ChipTone } {
  switch (status) {
    case "active":
      return { word: "Active", tone: "published" };
    case "trial":
      return { word: "Trial", tone: "scheduled" };
    case "active (canceling)":
      return { word: "Canceling", tone: "canceling" };
    case "canceled":
      return { word: "Canceled", tone: "failed" };
    default:
      return { word: "No subscription", tone: "failed" };
  }
}

/** What the date of a subscription means, in two words; null when there is none to show. */
export function dateWords(
  { status, end_date, next_plan, payment_problem }: SubscriptionWire,
  timeZone: string,
): { label: string; value: string } | null {
  if (end_date === null) return null;
  const value = formatDate(end_date, timeZone);
  if (status === "active (canceling)") return { label: "Ends on", value };
  if (status === "canceled") return { label: payment_problem === "paused" ? "Paused on" : "Ended on", value };
  return { label: next_plan === null ? "Renews on" : "Changes on", value };
}

/** What a plan costs where no amount was really charged: elsewhere taxes and another currency may come to it. */
export const listPriceWords = (slug: SubscriptionWire["plan"]["slug"]): string =>
  PLANS[slug].priceTenthsOfCent === 0 ? priceWords(slug) : `${priceWords(slug)}, in US dollars before tax`;

/** The price of a plan for reading: '$29 a month', 'Free'. */
export function priceWords(slug: SubscriptionWire["plan"]["slug"]): string {
  const { priceTenthsOfCent } = PLANS[slug];
  return priceTenthsOfCent === 0 ? "Free" : `${formatDollars(priceTenthsOfCent)} a month`;
}
