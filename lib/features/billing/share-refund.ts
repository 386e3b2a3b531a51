import "server-only";

/**
 * The credits that one refund takes of what a payment gave, in proportion of its amount. Several refunds of one payment
 * together take what one refund of their sum would, whatever the order; never more than was given.
 * @param before what was refunded of it already, in the currency's smallest unit
 */
export const shareRefund = (
  credits: number,
  { totalMinor, before, refundMinor }: { totalMinor: number; before: number; refundMinor: number },
): number => {
  const upTo = (amount: number): number =>
    totalMinor <= 0 ? credits : Math.min(credits, Math.round((credits * amount) / totalMinor));
  return totalMinor <= 0 && before > 0 ? 0 : Math.max(0, upTo(before + refundMinor) - upTo(before));
};
