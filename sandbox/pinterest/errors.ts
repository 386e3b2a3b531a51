/** An error response of Pinterest: the status and the body `{code, message}`. */
export interface ErrorReply {
  status: 400 | 401 | 403 | 404 | 409 | 429 | 500 | 501 | 503;
  code: number;
  message: string;
}

const reply = (status: ErrorReply["status"], code: number, message: string): ErrorReply => ({ status, code, message });

/** Documented and observed errors, verbatim where the text is known. */
export const ERRORS = {
  authenticationFailed: reply(401, 2, "Authentication failed."),
  restrictedFeature: reply(401, 3, "This is a restricted feature that your app may not use."),
  grantInvalid: reply(400, 283, "The authorization grant is invalid"),
  notPermitted: reply(403, 29, "You are not permitted to access that resource."),
  trialAccess: reply(
    403,
    29,
    "Apps with Trial access may not create Pins in production https://api.pinterest.com - use API Sandbox https://api-sandbox.pinterest.com instead.",
  ),
  spamBlock: reply(
    403,
    29,
    "Sorry! You've hit a block (Pins) we have in place to combat spam. Please try again later.",
  ),
  imageTooSmall: reply(403, 233, "Your image is too small. Please choose a larger image and try again."),
  imageBroken: reply(403, 235, "Sorry, this image is broken. Please pick a different image."),
  linkInvalid: reply(
    400,
    1,
    "Whoops! It looks like you entered an invalid URL. Try creating a Pin again with a valid URL.",
  ),
  imageUnreachable: reply(400, 1, "Sorry, we could not fetch the image."),
  boardNotFound: reply(404, 40, "Board not found."),
  sectionNotFound: reply(404, 2031, "Board section not found."),
  sectionInvalid: reply(400, 400, "Invalid board section parameters."),
  pinsNotYours: reply(401, 7, "Not authorized to access board or Pin."),
  analyticsInvalid: reply(400, 400, "Invalid user accounts analytics parameters."),
  pinAnalyticsInvalid: reply(400, 400, "Invalid pins analytics parameters."),
  mediaNotFound: reply(404, 404, "Media upload not found"),
  pinNotFound: reply(404, 50, "Pin not found."),
  boardBusy: reply(409, 409, "Could not get exclusive access to the board."),
  rateLimited: reply(
    429,
    8,
    "This request exceeded a rate limit. This can happen if the client exceeds one of the published rate limits or if multiple write operations are applied to an object within a short time window.",
  ),
  serverError: reply(500, 500, "Something went wrong on our end. Sorry about that."),
  unavailable: reply(503, 503, "Something went wrong on our end. Sorry about that."),
} as const;

/** A request that does not match the description; Pinterest reports the first problem. */
export function invalidRequest(detail: string): ErrorReply {
  return reply(400, 1, `Invalid request: ${detail}`);
}

/** A call or a parameter that the product does not use. */
export function notSupported(what: string): ErrorReply {
  return reply(501, 1, `Invalid request: ${what} is not supported by this stand-in`);
}

/** A token without the required scopes, which end the message as a Python list. */
export function missingScopes(scopes: string[]): ErrorReply {
  const list = scopes.map((scope) => `'${scope}'`).join(", ");
  return reply(
    403,
    29,
    `Your token does not allow this call. Please ensure your token is authorized with the correct set of scopes. Missing: [${list}]`,
  );
}

/** Thrown in a route; the server sends its reply. */
export class ApiError extends Error {
  readonly reply: ErrorReply;

  constructor(reply: ErrorReply, options?: ErrorOptions) {
    super(reply.message, options);
    this.reply = reply;
  }
}
