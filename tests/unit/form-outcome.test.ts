import { describe, expect, test } from "vitest";
import { ApiError } from "#lib/client/api.ts";
import { fieldErrorsOf, outcomeOfAction, refusedCall } from "#lib/client/form-outcome.ts";
import { checkNewPassword } from "#lib/features/identity/policy.ts";

const FIELDS = ["email", "password"] as const;

describe("form outcome", () => {
  test("R-CONT-03, R-REG-17 reads field errors as strings and lists, and ignores unknown fields and other shapes", () => {
    expect(fieldErrorsOf({ email: "One", password: ["Two", "Three"], other: "Four" }, FIELDS)).toEqual({
      email: "One",
      password: "Two",
    });
    for (const body of [null, undefined, "text", [], { email: 5, password: [] }, { email: "", password: [""] }]) {
      expect(fieldErrorsOf(body, FIELDS)).toEqual({});
    }
  });

  test("R-FPW-06, R-RPW-06 a failed call shows the server's `error`, else the fallback", () => {
    expect(refusedCall(new ApiError(400, { error: "No" }), "Fallback")).toEqual({ kind: "refused", problem: "No" });
    for (const error of [new ApiError(500, undefined), new ApiError(0, {}), new Error("inner")]) {
      expect(refusedCall(error, "Fallback")).toEqual({ kind: "refused", problem: "Fallback" });
    }
  });

  test("a refused action shows errors at its fields, else above the form", () => {
    expect(outcomeOfAction({ ok: true, value: null }, FIELDS)).toEqual({ kind: "done" });
    expect(outcomeOfAction({ ok: false, code: "invalid", text: "No", fields: { email: ["Bad"] } }, FIELDS)).toEqual({
      kind: "refused",
      errors: { email: "Bad" },
    });
    const elsewhere = { ok: false as const, code: "too_many" as const, text: "Wait", fields: { other: ["Bad"] } };
    expect(outcomeOfAction(elsewhere, FIELDS)).toEqual({ kind: "refused", problem: "Wait" });
  });
});

test("R-RPW-02, R-RPW-03, R-RPW-04 a new password must meet all five rules and match its confirmation", () => {
  const errorsOf = (newPassword: string, confirmPassword = newPassword) =>
    checkNewPassword({ newPassword, confirmPassword });
  for (const special of '!@#$%^&*(),.?":{}|<>') expect(errorsOf(`Aaaaaa1${special}`)).toEqual({});
  const unmet = { newPassword: "Please ensure your password meets all requirements." };
  for (const weak of ["", "Aaaaa1!", "aaaaaa1!", "AAAAAA1!", "Aaaaaaa!", "Aaaaaaa1", "Aaaaaa1-"]) {
    expect(errorsOf(weak)).toEqual(unmet);
  }
  expect(errorsOf("Aaaaaa1!", "Aaaaaa1?")).toEqual({ confirmPassword: "Passwords do not match." });
  expect(errorsOf("weak", "other")).toEqual(unmet);
});
