import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { HOUR_MS } from "#lib/core/time.ts";
import { RETRY_PAUSES_MS, WEBHOOK_EVENT_TYPES } from "#lib/features/webhooks/constants.ts";
import { pauseAfter, readAnswer } from "#lib/features/webhooks/policy.ts";
import { createEndpointInput, updateEndpointInput } from "#lib/features/webhooks/schema.ts";
import { createSecret, headersOf, signMessage } from "#lib/features/webhooks/signatures.ts";

describe("a signed request", () => {
  const message = { messageId: "whm_1", sentAt: new Date(), body: '{"type":"test","text":"Füße"}' };
  const headers = (secrets: string[]) =>
    headersOf(
      { ...message, signature: signMessage(secrets, message) },
      { productName: "Évertack", appUrl: "https://a" },
    );

  test("is accepted by another implementation of Standard Webhooks, with the new and the old secret", () => {
    const [secret, old] = [createSecret(), createSecret()];
    for (const known of [secret, old]) new Webhook(known).verify(message.body, headers([secret, old]));
    expect(() => new Webhook(old).verify(message.body, headers([secret]))).toThrow("No matching signature");
    expect(() => new Webhook(secret).verify(`${message.body} `, headers([secret]))).toThrow("No matching signature");
  });

  test("names itself in ASCII", () => {
    expect(headers([])["user-agent"]).toBe("vertack webhooks (+https://a)");
  });
});

describe("retries", () => {
  test("pauses grow to about a day, also with jitter, and then it is given up", () => {
    const pauses = (share: number) => RETRY_PAUSES_MS.map((_, at) => pauseAfter("pin.failed", at + 1, share) ?? 0);
    expect(pauses(0)).toEqual(pauses(0).toSorted((a, b) => a - b));
    const hours = (share: number) => pauses(share).reduce((sum, pause) => sum + pause, 0) / HOUR_MS;
    expect(hours(0)).toBeGreaterThan(24);
    expect(hours(1)).toBeLessThan(30);
    expect(pauseAfter("pin.failed", RETRY_PAUSES_MS.length + 1, 0)).toBeNull();
    expect(pauseAfter("test", 1, 0)).toBeNull();
  });

  test.each([
    [200, "delivered"],
    [204, "delivered"],
    [299, "delivered"],
    [301, "failed"],
    [307, "failed"],
    [404, "failed"],
    [410, "gone"],
    [429, "failed"],
    [500, "failed"],
  ])("status %d: %s", (status, kind) => {
    expect(readAnswer({ kind: "answered", status, excerpt: "" }).kind).toBe(kind);
  });
});

describe("what users enter", () => {
  const good = { url: " https://example.com/a ", events: ["pin.failed", "pin.published", "pin.failed"] };

  test("is trimmed and ordered", () => {
    expect(createEndpointInput.parse(good)).toEqual({
      url: "https://example.com/a",
      events: ["pin.published", "pin.failed"],
      description: "",
    });
    expect(updateEndpointInput.parse({ endpointId: "a", enabled: false })).toEqual({ endpointId: "a", enabled: false });
  });

  test.each([
    { url: "" },
    { url: "example.com" },
    { url: `https://example.com/${"a".repeat(5_000)}` },
    { events: [] },
    { events: ["test"] },
    { events: [...WEBHOOK_EVENT_TYPES, ...WEBHOOK_EVENT_TYPES] },
    { description: "a\u0000" },
    { description: "a".repeat(101) },
    { secret: "whsec_mine" },
  ])("%j is refused", (wrong) => {
    expect(createEndpointInput.safeParse({ ...good, ...wrong }).success).toBe(false);
  });
});
