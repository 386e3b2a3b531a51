import "server-only";
import { AppError } from "#lib/core/errors.ts";
import { env } from "#lib/env.ts";

/** With credentials. */
export const isAllowedOrigin = (origin: string | null): boolean =>
  origin !== null && (origin === new URL(env().APP_URL).origin || env().CORS_ORIGINS.includes(origin));

const JSON_TYPE = /^application\/json *(;|$)/i;
const JSON_NEEDED = "Send the body as JSON, with the content type application/json.";

/**
 * Against forged sign-ins from other sites. Browsers ask before they send JSON to another origin, and name the page's
 * origin; clients without an Origin are not browsers, unless they say where the request comes from. They may leave out
 * the content type, which forms always send.
 * @throws AppError `csrf`, or `invalid` for another content type
 */
export const requireOwnClient = ({ headers }: Request): void => {
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  const isForeign = origin === null ? ![null, "same-origin", "none"].includes(site) : !isAllowedOrigin(origin);
  if (isForeign) throw new AppError("csrf");
  const type = headers.get("content-type");
  const isJson = type === null ? origin === null : JSON_TYPE.test(type);
  if (!isJson) throw new AppError("invalid", { text: JSON_NEEDED });
};

/** For forms that have a CSRF token of their own. @throws AppError `csrf` */
export const refuseForeignOrigin = ({ headers }: Request): void => {
  const origin = headers.get("origin");
  if (origin !== null && !isAllowedOrigin(origin)) throw new AppError("csrf");
};
