import { describe, expect, test } from "vitest";
import { brokenOffText } from "#components/bulk-create/bulk-rows.ts";
import { randomKey } from "#lib/client/random-key.ts";

const user = { isByUser: true, canSkip: true };
const line = { isByUser: false, canSkip: true };
const sent = (whole: number) => ({ whole, all: 3 });

describe("R-BULK-08 what a try leaves that had no answer", () => {
  test("it says who broke it off, how far it had come, and what is sent next", () => {
    expect(brokenOffText({ ...user, sent: null })).toBe("Stopped before anything was sent.");
    expect(brokenOffText({ ...user, sent: sent(0) })).toBe(
      "Stopped before an image was through. Create sends all of them.",
    );
    expect(brokenOffText({ ...user, sent: sent(2) })).toBe(
      "Stopped after 2 of 3 images. Create sends only what is not kept here yet.",
    );
    expect(brokenOffText({ ...line, sent: sent(2) })).toMatch(/^The connection was lost after 2 of 3 images\. /);
    expect(brokenOffText({ ...line, sent: sent(3) })).toBe(
      "The connection was lost after all images were sent: the drafts may be there. Create, with nothing changed, makes none twice.",
    );
  });

  test("a page that has no digests promises to skip nothing", () => {
    expect(brokenOffText({ ...line, canSkip: false, sent: sent(2) })).toBe(
      "The connection was lost after 2 of 3 images. Create sends all of them again.",
    );
  });
});

test("R-BULK-08 keys are UUIDs of version 4 and differ, also without the browser's own", () => {
  const keys = Array.from({ length: 50 }, randomKey);
  for (const key of keys) expect(key).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(new Set(keys).size).toBe(50);
});
