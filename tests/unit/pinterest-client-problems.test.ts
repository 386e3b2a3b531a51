import { describe, expect, test } from "vitest";
import { parseWaitSeconds } from "#lib/integrations/pinterest/http.ts";
import {
  decideProblem,
  decideRefreshProblem,
  noResponseProblem,
  unreadableProblem,
} from "#lib/integrations/pinterest/problems.ts";

const TRIAL =
  "Apps with Trial access may not create Pins in production https://api.pinterest.com - use API Sandbox instead.";
const SCOPES =
  "Not authorized. Please ensure your token is authorized with the correct set of scopes. Missing: ['boards:write', 'pins:write']";
const SPAM = "Sorry! You've hit a block (Pins) we have in place to combat spam. Please try again later.";
const SERVER = "Something went wrong on our end. Sorry about that.";

describe("R-SRV-04 the decision table of problems", () => {
  test.each([
    [401, 2, "Authentication failed.", "token_dead"],
    [401, undefined, "", "token_dead"],
    [401, 3, "This is a restricted feature.", "restricted"],
    [401, 2, "You are trying a restricted feature.", "restricted"],
    [401, 7, "Not authorized to access board or Pin.", "rejected"],
    [403, 29, TRIAL, "trial_access"],
    [403, 29, "You are not permitted to access that resource.", "rejected"],
    [403, 29, SCOPES, "missing_scope"],
    [403, undefined, SCOPES, "missing_scope"],
    [403, 403, "Not authorized to update the board.", "rejected"],
    [403, 233, "Your image is too small.", "rejected"],
    [403, 235, "Sorry, this image is broken.", "rejected"],
    [400, 1, "Whoops! It looks like you entered an invalid URL.", "rejected"],
    [400, 1, "Invalid request: board_id: 'x' does not match '^\\d+$'", "rejected"],
    [400, undefined, "constraint: maxItems=5", "rejected"],
    [404, 40, "Board not found.", "not_found"],
    [404, 404, "Board not found.", "not_found"],
    [404, 2031, "Sorry! We couldn't find this board section.", "not_found"],
    [404, 50, "Pin not found.", "not_found"],
    [409, 409, "Could not get exclusive access to the board.", "busy"],
    [429, 8, "This request exceeded a rate limit.", "rate_limited"],
    [429, undefined, "", "rate_limited"],
    [403, 29, SPAM, "spam_block"],
    [400, 1, SPAM, "spam_block"],
    [429, 8, SPAM, "spam_block"],
    [400, 1, "Sorry, we could not fetch the image.", "busy"],
    [400, 1, "Unable to reach the URL.", "busy"],
    [500, 500, SERVER, "unavailable"],
    [400, 1, SERVER, "unavailable"],
    [503, undefined, "", "unavailable"],
    [408, undefined, "", "unavailable"],
    [302, undefined, "", "unavailable"],
    [418, 2, "", "rejected"],
  ])("%s / %s %j is %s", (status, code, message, kind) => {
    expect(decideProblem({ status, code, message }).kind).toBe(kind);
  });

  test("R-SRV-04 a code alone does not decide", () => {
    for (const code of [2, 3, 8, 29, 40, 233]) {
      expect(decideProblem({ status: 200 + 222, code, message: "" }).kind).toBe("rejected");
    }
  });

  test("R-SRV-04 the response is saved for the attempt log and truncated", () => {
    const problem = decideProblem({ status: 404, code: 40, message: "x".repeat(5_000), retryAfterSeconds: 4 });
    expect(problem).toMatchObject({ httpStatus: 404, providerCode: 40, retryAfterSeconds: 4 });
    expect(problem.providerMessage).toHaveLength(300);
    expect(problem.text).toBe("The board no longer exists on Pinterest. Please choose another one.");
  });

  test("R-SRV-04 an invalid field is not reported as an invalid link", () => {
    const { text } = decideProblem({ status: 400, code: 1, message: "Invalid request: title is too long" });
    expect(text).toBe("Pinterest didn't accept this: Invalid request: title is too long");
    expect(decideProblem({ status: 400, code: 1, message: "an invalid URL" }).text).toContain("link");
  });

  test("R-SRV-04 asks for the missing permissions", () => {
    expect(decideProblem({ status: 403, message: SCOPES }).text).toContain("allow all requested permissions.");
    expect(decideProblem({ status: 403, message: "Missing: []" }).text).toContain("allow all requested permissions.");
  });

  test("R-SRV-05 a refused refresh token is dead, whatever the message; a temporary refusal is not", () => {
    const kindOf = (status: number, code: number | undefined, message = "") =>
      decideRefreshProblem({ status, code, message }).kind;
    expect([kindOf(400, 283), kindOf(401, 2), kindOf(401, 7), kindOf(403, 29)]).toEqual(
      Array.from({ length: 4 }, () => "token_dead"),
    );
    expect([kindOf(429, 8), kindOf(500, 500), kindOf(409, 409)]).toEqual(["rate_limited", "unavailable", "busy"]);
  });

  test("R-SRV-04 missing and unreadable responses are unavailable", () => {
    expect(noResponseProblem("timeout")).toEqual({ kind: "unavailable", text: "Pinterest didn't respond in time." });
    expect(noResponseProblem("network").kind).toBe("unavailable");
    expect(unreadableProblem(201)).toMatchObject({ kind: "unavailable", httpStatus: 201 });
  });
});

describe("R-SRV-04 how long to wait", () => {
  const now = new Date("2026-11-20T12:00:00Z");
  const unixNow = now.getTime() / 1_000;
  test.each([
    [{ "retry-after": "7" }, 7],
    [{ "retry-after": "7", "x-ratelimit-reset": "60" }, 7],
    [{ "retry-after": "Fri, 20 Nov 2026 12:00:30 GMT" }, 30],
    [{ "retry-after": "Fri, 20 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "soon", "x-ratelimit-reset": "12" }, 12],
    [{ "x-ratelimit-reset": '9, 9;w=1;name="safety_net_app_id_user_id", 60;w=60' }, 9],
    [{ "x-ratelimit-reset": String(unixNow + 45) }, 45],
    [{ "retry-after": "99999999" }, 86_400],
    [{ "x-ratelimit-limit": '100, 100;w=1;name="x"', "x-ratelimit-remaining": "0" }, undefined],
    [{ "retry-after": "", "x-ratelimit-reset": ";;;" }, undefined],
    [{ "retry-after": "-5" }, expect.toSatisfy((wait) => wait === undefined || wait >= 0)],
  ])("%j", (headers: Record<string, string>, seconds) => {
    expect(parseWaitSeconds(new Headers(headers), now)).toEqual(seconds);
  });
});
