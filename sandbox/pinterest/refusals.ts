/** How Pinterest says no: the status and the body `{code, message}`. */
export interface Refusal {
  status: 400 | 401 | 403 | 404 | 409 | 429 | 500 | 503;
  code: number;
  message: string;
}

const refusal = (status: Refusal["status"], code: number, message: string): Refusal => ({ status, code, message });

/** Documented and observed refusals, word for word where the words are known. */
export const REFUSALS = {
  authenticationFailed: refusal(401, 2, "Authentication failed."),
  restrictedFeature: refusal(401, 3, "This is a restricted feature that your app may not use."),
  grantInvalid: refusal(400, 283, "The authorization grant is invalid"),
  notPermitted: refusal(403, 29, "You are not permitted to access that resource."),
  trialAccess: refusal(
    403,
    29,
    "Apps with Trial access may not create Pins in production https://api.pinterest.com - use API Sandbox https://api-sandbox.pinterest.com instead.",
  ),
  spamBlock: refusal(
    403,
    29,
    "Sorry! You've hit a block (Pins) we have in place to combat spam. Please try again later.",
  ),
  imageTooSmall: refusal(403, 233, "Your image is too small. Please choose a larger image and try again."),
  imageBroken: refusal(403, 235, "Sorry, this image is broken. Please pick a different image."),
  linkInvalid: refusal(
    400,
    1,
    "Whoops! It looks like you entered an invalid URL. Try creating a Pin again with a valid URL.",
  ),
  imageUnreachable: refusal(400, 1, "Sorry, we could not fetch the image."),
  boardGone: refusal(404, 40, "Board not found."),
  boardNameTaken: refusal(400, 400, "The board name is invalid or duplicated."),
  boardNotYours: refusal(403, 403, "Not authorized to update the board."),
  sectionInvalid: refusal(400, 400, "Invalid board section parameters."),
  pinNotYours: refusal(403, 403, "Not authorized to access board or Pin."),
  pinsNotYours: refusal(401, 7, "Not authorized to access board or Pin."),
  analyticsInvalid: refusal(400, 400, "Invalid user accounts analytics parameters."),
  pinAnalyticsInvalid: refusal(400, 400, "Invalid pins analytics parameters."),
  trendsInvalid: refusal(400, 400, "Invalid trending keywords request parameters"),
  pinGone: refusal(404, 50, "Pin not found."),
  userGone: refusal(404, 30, "User not found."),
  boardBusy: refusal(409, 409, "Could not get exclusive access to the board."),
  rateLimited: refusal(
    429,
    8,
    "This request exceeded a rate limit. This can happen if the client exceeds one of the published rate limits or if multiple write operations are applied to an object within a short time window.",
  ),
  serverError: refusal(500, 500, "Something went wrong on our end. Sorry about that."),
  unavailable: refusal(503, 503, "Something went wrong on our end. Sorry about that."),
} as const;

/** A request that does not fit the description; Pinterest names the first fault. */
export function invalidRequest(detail: string): Refusal {
  return refusal(400, 1, `Invalid request: ${detail}`);
}

/** A token without the scopes that a call needs; they end the message as a Python list. */
export function missingScopes(scopes: string[]): Refusal {
  const list = scopes.map((scope) => `'${scope}'`).join(", ");
  return refusal(
    403,
    29,
    `Your token does not allow this call. Please ensure your token is authorized with the correct set of scopes. Missing: [${list}]`,
  );
}

/** Thrown inside a route; the server answers it as Pinterest would. */
export class RefusedError extends Error {
  readonly refusal: Refusal;

  constructor(refused: Refusal) {
    super(refused.message);
    this.refusal = refused;
  }
}

/**
 * Reads a JSON body.
 * @throws RefusedError 400 for what is no JSON.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new RefusedError(invalidRequest("body is not JSON"));
    throw cause;
  }
}

/** The fields of a JSON object; what is none simply has no fields: the call itself will refuse it. */
export function parseObject(text: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** The fields of a value; what is no object has none. */
export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** A page and the opaque mark of the next one; null at the end. */
interface Page<T> {
  items: T[];
  bookmark: string | null;
}

/** Items of a page when the call does not say. */
export const DEFAULT_PAGE_SIZE = 25;

/**
 * Cuts the page after `bookmark` out of a list whose items have stable ids.
 * @throws RefusedError 400 for a bookmark that was never handed out.
 */
export function paginate<T extends { id: string }>(all: T[], query: Record<string, string>): Page<T> {
  const size = Number(query.page_size ?? DEFAULT_PAGE_SIZE);
  const start = query.bookmark === undefined || query.bookmark === "" ? 0 : positionAfter(all, query.bookmark);
  const items = all.slice(start, start + size);
  const last = items.at(-1);
  const isEnd = last === undefined || start + size >= all.length;
  return { items, bookmark: isEnd ? null : toBookmark(last.id) };
}

function toBookmark(lastId: string): string {
  return Buffer.from(`after:${lastId}`, "utf8").toString("base64url");
}

function positionAfter(all: { id: string }[], bookmark: string): number {
  const id = Buffer.from(bookmark, "base64url")
    .toString("utf8")
    .replace(/^after:/, "");
  const index = all.findIndex((item) => item.id === id);
  if (index === -1) throw new RefusedError(invalidRequest("bookmark is not one of ours"));
  return index + 1;
}
