import { describe, expect, test } from "vitest";
import { NOTICE_MS } from "#components/ui/notice-texts.ts";
import { CSRF_COOKIE, CSRF_HEADER, TOKEN_STORAGE_KEY } from "#lib/core/browser-keys.ts";
import { safePath } from "#lib/core/paths.ts";
import { PLANS } from "#lib/features/billing/plans.ts";
import { REGISTER_REDIRECT_MS, RESET_REDIRECT_MS } from "#lib/features/identity/constants.ts";
import {
  checkRegistration,
  PASSWORD_MIN,
  passwordStrength,
  type RegisterValues,
  USERNAME_MIN,
  uniqueKey,
} from "#lib/features/identity/policy.ts";
import { fc } from "#tests/support/properties.ts";

const good: RegisterValues = {
  first_name: "Ada",
  last_name: "Moss",
  username: "ada",
  email: "ada@example.com",
  password: "12345678",
  confirmPassword: "12345678",
};
const without = (field: keyof RegisterValues, value: string) => checkRegistration({ ...good, [field]: value })[field];

describe("registration rules", () => {
  test("R-REG-01 six valid fields have no errors", () => {
    expect(checkRegistration(good)).toEqual({});
  });

  test.each([
    ["R-REG-02", "username", "", "Username is required"],
    ["R-REG-03", "username", "ab", "Username must be at least 3 characters"],
    ["R-REG-04", "first_name", " ", "First name is required"],
    ["R-REG-05", "last_name", "", "Last name is required"],
    ["R-REG-06", "email", "", "Email is required"],
    ["R-REG-07", "email", "ada@example", "Invalid email format"],
    ["R-REG-07", "email", "ada example.com", "Invalid email format"],
    ["R-REG-08", "password", "", "Password is required"],
    ["R-REG-09", "password", "1234567", "Password must be at least 8 characters"],
    ["R-REG-10", "confirmPassword", "", "Please confirm your password"],
    ["R-REG-11", "confirmPassword", "12345679", "Passwords do not match"],
  ] as const)("%s %s %j: %s", (_id, field, value, text) => {
    expect(without(field, value)).toBe(text);
  });

  test("R-REG-09, R-CONST-15 passwords need eight characters, usernames three", () => {
    expect(without("password", "1234567")).toBeDefined();
    expect(checkRegistration({ ...good, password: "12345678" }).password).toBeUndefined();
    expect(without("username", "abc")).toBeUndefined();
    expect([PASSWORD_MIN, USERNAME_MIN]).toEqual([8, 3]);
  });

  test("A-11 unique keys ignore case, width and surrounding spaces", () => {
    expect(uniqueKey(" Ada@Example.COM ")).toBe(uniqueKey("ada@example.com"));
    expect(uniqueKey("ＡＤＡ")).toBe(uniqueKey("ada"));
  });

  test("R-REG-17 names contain no line breaks, addresses and hidden characters", () => {
    for (const name of ["Ada\n\nhttps://evil.example", "see www.evil.example", "Ada\u202eadA", "x://y"]) {
      expect(without("first_name", name)).toBe("First name contains characters that cannot be used in a name");
    }
    for (const name of ["Ada", "Zoë-Marie", "O’Neill", "李", "José da Silva"]) {
      expect(without("last_name", name)).toBeUndefined();
    }
  });

  test("A-12 the strength hint grows with length and character classes", () => {
    expect(
      ["1234567", "12345678", "Correct1", "Correct horse 1", "Correct horse battery 1!"].map(
        (one) => passwordStrength(one).score,
      ),
    ).toEqual([0, 1, 2, 4, 4]);
    expect(checkRegistration({ ...good, password: "aaaaaaaa", confirmPassword: "aaaaaaaa" })).toEqual({});
  });
});

describe("remembered paths", () => {
  test.each([
    "//evil.example",
    "/\\evil.example",
    "/%2f%2fevil.example",
    "/.//evil.example/login",
    "/app/..//evil.example",
    "/%2e%2e//evil.example",
    "/a/../\\evil.example",
    "javascript:alert(1)",
    "https://evil.example/",
    "/\t/evil.example",
    "app",
    "",
    "/login",
    "/login?next=/app",
    null,
    7,
  ])("R-LOGIN-07 %j leads to /app", (value) => {
    expect(safePath(value)).toBe("/app");
  });

  test("R-LOGIN-07 keeps our own paths with query and fragment", () => {
    expect(safePath("/app/generated-posts?status=draft#x")).toBe("/app/generated-posts?status=draft#x");
  });

  test("R-LOGIN-07 never leaves this site", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[/.\\%2ef5ca:]{0,14}evil\.example$/), (text) => {
        expect(new URL(safePath(text), "https://here.example").origin).toBe("https://here.example");
      }),
    );
  });
});

test("R-CONST-18, A-46 names shared by browser and server", () => {
  expect([TOKEN_STORAGE_KEY, CSRF_COOKIE, CSRF_HEADER]).toEqual(["accessToken", "csrftoken", "X-CSRFToken"]);
});

test("R-TIME-02, R-TIME-03, R-TIME-05, R-NOTE-02 notices close and registration redirects after 3 s, a reset after 2 s", () => {
  expect([NOTICE_MS, REGISTER_REDIRECT_MS, RESET_REDIRECT_MS]).toEqual([3_000, 3_000, 2_000]);
});

test("R-ACC-12, R-CONST-04, R-CONST-05 plans: credits and accounts", () => {
  expect(Object.values(PLANS).map(({ creditsPerPeriod, accounts }) => [creditsPerPeriod, accounts])).toEqual([
    [5, 1],
    [400, 3],
    [1000, 5],
    [2500, 7],
  ]);
});
