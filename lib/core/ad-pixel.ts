/** Meta's documented image pixel without a script. */
export const AD_PIXEL_ORIGIN = "https://www.facebook.com";

interface PixelPurchase {
  /** In whole units of the currency. */
  total: number | null;
  currency: string | null;
  productId: string | null;
}

/** No page URL, which may carry a token, and no user data. `atMs` (since 1970) keeps it out of browser caches. */
export const adPixelUrl = (
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
