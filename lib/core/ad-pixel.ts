/** Where the ad pixel lives: Meta's documented pixel without a script, a picture of one point. */
export const AD_PIXEL_ORIGIN = "https://www.facebook.com";

/**
 * The address that tells of one event. It holds the operator's id and the event's name: no address of a page, which
 * may carry a token, and nothing about the person.
 */
export const adPixelAddress = (pixelId: string, event: "PageView"): string => {
  const query = new URLSearchParams({ id: pixelId, ev: event, noscript: "1" });
  return `${AD_PIXEL_ORIGIN}/tr/?${query}`;
};
