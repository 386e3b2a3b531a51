/* Names that the browser and the server share. They stand alone: every page loads them. */

/** R-CONST-18 */
export const TOKEN_STORAGE_KEY = "accessToken";
/** cookie and header in one setting. */
export const CSRF_COOKIE = "csrftoken";
export const CSRF_HEADER = "X-CSRFToken";
/** Where the browser keeps the path that was asked for before login (R-AUTH-01). */
export const REMEMBERED_PATH_KEY = "rememberedPath";
/** Set with a login that a form opened without a script: the app's first page then fetches the access token. */
export const FORM_LOGIN_COOKIE = "formlogin";
/** The browser's time zone, for times in the user's zone from the first paint (DESIGN §8). */
export const TIME_ZONE_COOKIE = "tz";
