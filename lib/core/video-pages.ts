/** The only pages that show video thumbnails, which are hosted on other sites. */
const PAGES: readonly string[] = ["/app/videos", "/app/saved-videos"];

export const isVideoPage = (path: string): boolean => PAGES.includes(path.replace(/\/+$/, ""));

/** Thumbnails may come from any of the sites' many hosts, so any https origin is allowed. */
export const ANY_IMAGES: readonly string[] = ["https:"];

export const SAME_DOCUMENT = "same-document";

/** The URL of such a page within the current document. @param page path with its query */
export const inSameDocument = (page: string): string => `${page}${page.includes("?") ? "&" : "?"}${SAME_DOCUMENT}=1`;
