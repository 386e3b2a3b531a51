import { describe, expect, test } from "vitest";
import { AppError } from "#lib/core/errors.ts";
import { toSubject } from "#lib/server/address.ts";
import { countCall, LIMITS, spentQuota } from "#lib/server/rate-limit.ts";

describe("rate limit subjects (R-SRV-09)", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["unknown", "unknown"],
  ])("%s counts as %s", (address, subject) => {
    expect(toSubject(address)).toBe(subject);
  });
});

describe("windows (R-SRV-09)", () => {
  const now = new Date("2026-11-20T10:00:00Z");

  test("rejects the call after the last allowed one, with the remaining seconds", () => {
    const subject = crypto.randomUUID();
    for (let n = 0; n < LIMITS.resend.calls; n++) countCall("resend", subject, 1, now);
    const later = new Date(now.getTime() + 60_000);
    expect(() => countCall("resend", subject, 1, later)).toThrow(AppError);
    try {
      countCall("resend", subject, 1, later);
    } catch (error) {
      expect(error).toMatchObject({ code: "too_many", retryAfterSeconds: 3_540 });
      expect(spentQuota("resend", 1, error as AppError)).toEqual({ limit: 5, remaining: 0, endsInMs: 3_540_000 });
    }
    expect(() => countCall("resend", subject, 1, new Date(now.getTime() + 3_600_000))).not.toThrow();
  });

  test("a flood of other subjects does not reset recent windows", () => {
    for (let n = 0; n < 49_990; n++) countCall("resend", `stranger ${n}`, 1, now);
    const subject = crypto.randomUUID();
    for (let n = 0; n < LIMITS.resend.calls; n++) countCall("resend", subject, 1, now);
    for (let n = 0; n < 5_000; n++) countCall("resend", `another ${n}`, 1, now);
    expect(() => countCall("resend", subject, 1, now)).toThrow(AppError);
  });
});
