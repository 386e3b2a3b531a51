/** Pages that show the pictures of videos, which lie on other sites, and nobody else's. */
const PAGES: readonly string[] = ["/app/videos", "/app/saved-videos"];

/** Whether the page at a path shows pictures of videos. */
export const isVideoPage = (path: string): boolean => PAGES.includes(path.replace(/\/+$/, ""));

/** Where such a picture may come from: a pasted page names any of the site's many hosts, so only https is asked for. */
export const VIDEO_PICTURES: readonly string[] = ["https:"];

/** Query of an address that is asked for from a document which was loaded for one of these pages. */
export const SAME_DOCUMENT = "same-document";

/** The address of such a page, said to be shown in the document that stands there. @param page path with its query */
export const inSameDocument = (page: string): string => `${page}${page.includes("?") ? "&" : "?"}${SAME_DOCUMENT}=1`;
