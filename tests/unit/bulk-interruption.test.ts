import { describe, expect, test } from "vitest";
import { interruptionText } from "#components/bulk-create/bulk-rows.ts";
import { randomKey } from "#lib/client/random-key.ts";

const user = { isByUser: true, canSkip: true };
const connection = { isByUser: false, canSkip: true };
const sent = (complete: number) => ({ complete, total: 3 });

describe("R-BULK-08 an upload without a response", () => {
  test("says who stopped it, how far it got, and what comes next", () => {
    expect(interruptionText({ ...user, sent: null })).toBe(
      "Stopped before anything was uploaded. Select Create again to retry.",
    );
    expect(interruptionText({ ...user, sent: sent(0) })).toBe(
      "Stopped before the first image was uploaded. Select Create again to upload all of them.",
    );
    expect(interruptionText({ ...user, sent: sent(2) })).toBe(
      "Stopped after 2 of 3 images. Select Create again to upload the rest.",
    );
    expect(interruptionText({ ...connection, sent: sent(2) })).toMatch(
      /^The connection was lost after 2 of 3 images\. /,
    );
    expect(interruptionText({ ...connection, sent: sent(3) })).toBe(
      "The connection was lost after all images were uploaded, so your drafts may already have been created. Select Create again without changing anything. You won't get duplicates.",
    );
  });

  test("promises to skip nothing when the browser cannot compute digests", () => {
    expect(interruptionText({ ...connection, canSkip: false, sent: sent(2) })).toBe(
      "The connection was lost after 2 of 3 images. Select Create again to upload all of them.",
    );
  });
});

test("R-BULK-08 keys are unique version 4 UUIDs, even without crypto.randomUUID", () => {
  const keys = Array.from({ length: 50 }, randomKey);
  for (const key of keys) expect(key).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(new Set(keys).size).toBe(50);
});
