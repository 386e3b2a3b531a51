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
  pinsNotYours: refusal(401, 7, "Not authorized to access board or Pin."),
  analyticsInvalid: refusal(400, 400, "Invalid user accounts analytics parameters."),
  pinAnalyticsInvalid: refusal(400, 400, "Invalid pins analytics parameters."),
  pinGone: refusal(404, 50, "Pin not found."),
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

  constructor(refused: Refusal, options?: ErrorOptions) {
    super(refused.message, options);
    this.refusal = refused;
  }
}
