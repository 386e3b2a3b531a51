/** Where the ad pixel lives: Meta's documented pixel without a script, a picture of one point. */
export const AD_PIXEL_ORIGIN = "https://www.facebook.com";

/** What is told of a purchase. */
export interface PixelPurchase {
  /** In whole units of the currency. */
  total: number | null;
  currency: string | null;
  productId: string | null;
}

/**
 * The address that tells of one event. It holds the operator's id, the event's name and when it was, and of a purchase
 * its amount and what was bought: no address of a page, which may carry a token, and nothing about the person. The time
 * makes each address new: a document shows a picture that it has already without asking for it again.
 * @param atMs milliseconds since 1970
 */
export const adPixelAddress = (
  pixelId: string,
  event: "PageView" | "Purchase",
  atMs: number,
  purchase?: PixelPurchase,
): string => {
  const query = new URLSearchParams({ id: pixelId, ev: event, noscript: "1", ts: String(atMs) });
  if (purchase?.total != null && purchase.currency) {
    query.set("cd[value]", String(purchase.total));
    query.set("cd[currency]", purchase.currency);
  }
  if (purchase?.productId) query.set("cd[content_ids]", purchase.productId);
  return `${AD_PIXEL_ORIGIN}/tr/?${query}`;
};
