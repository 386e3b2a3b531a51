/** Where the ad pixel lives: Meta's documented pixel without a script, a picture of one point. */
export const AD_PIXEL_ORIGIN = "https://www.facebook.com";

/**
 * The address that tells of one event. It holds the operator's id, the event's name and when it was: no address of a
 * page, which may carry a token, and nothing about the person. The time makes each address new: a document shows a
 * picture that it has already without asking for it again.
 * @param atMs milliseconds since 1970
 */
export const adPixelAddress = (pixelId: string, event: "PageView", atMs: number): string => {
  const query = new URLSearchParams({ id: pixelId, ev: event, noscript: "1", ts: String(atMs) });
  return `${AD_PIXEL_ORIGIN}/tr/?${query}`;
};
