/* Names shared by the browser and the server. They are in their own file because every page loads them. */

export const TOKEN_STORAGE_KEY = "accessToken";
export const CSRF_COOKIE = "csrftoken";
/** Set at each sign-in and with each new password, so that strangers' failed attempts never delay this browser. */
export const KNOWN_BROWSER_COOKIE = "known_browser";
/** Binds a sign-in with Google to the browser that began it. */
export const GOOGLE_COOKIE = "google_sign_in";
/** The challenge of a sign-in that waits for its second step. */
export const SECOND_STEP_COOKIE = "second_step";
export const CSRF_HEADER = "X-CSRFToken";
/** In responses to our own pages: exchange the session cookie for a new access token. */
export const RENEW_TOKEN_HEADER = "X-Renew-Token";
export const REMEMBERED_PATH_KEY = "rememberedPath";
/** Set after a login without scripts; the app's first page then fetches the access token. */
export const FORM_LOGIN_COOKIE = "formlogin";
/** The browser's time zone, so that the first paint already uses it. */
export const TIME_ZONE_COOKIE = "tz";
