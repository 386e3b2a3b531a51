import { expect, test } from "vitest";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { proposeVariant, type Variant } from "#lib/features/analytics/policy.ts";

const NOW = new Date("2026-11-27T12:00:00Z");
const daysAgo = (days: number): Date => addMs(NOW, -days * DAY_MS);

/** A published pin. `clicks` of 1,000 impressions. */
const published = (id: string, days: number, clicks: number, change: Partial<Variant> = {}): Variant => ({
  ...{ id, title: id, keyword: "bread", link: "https://shop.test/bread", boardId: "1", imageKey: `${id}.jpg` },
  ...{ status: "published", createdAt: daysAgo(days + 1), publishedAt: daysAgo(days) },
  ...{ impressions: 1_000, outboundClicks: clicks, ...change },
});

const idsOf = (family: Variant[]) => {
  const proposal = proposeVariant(family, NOW);
  return proposal && [proposal.pin.id, ...proposal.later.map(({ id }) => id)];
};

test("a pin gets a variant after the cooldown, if it earned clicks", () => {
  expect(idsOf([published("a", 60, 21)])).toEqual(["a"]);
  expect(idsOf([published("a", 59, 21)])).toBeNull();
  expect(idsOf([published("a", 90, 4)])).toBeNull();
  expect(idsOf([published("a", 90, 50, { impressions: 99 })])).toBeNull();
  expect(idsOf([published("a", 90, 21, { impressions: null, outboundClicks: null })])).toBeNull();
  expect(idsOf([])).toBeNull();
});

test.each(["draft", "scheduled"] as const)("none while a %s pin waits for the same link", (status) => {
  const waiting = published("b", 200, 0, { status, publishedAt: null });
  expect(idsOf([published("a", 90, 21), waiting])).toBeNull();
});

test("a failed pin holds up only during the cooldown", () => {
  const failed = (days: number) => published("b", days, 0, { status: "failed", publishedAt: null });
  expect(idsOf([published("a", 90, 21), failed(80)])).toEqual(["a"]);
  expect(idsOf([published("a", 90, 21), failed(10)])).toBeNull();
});

test("the variant with the best click rate is the next one's model; two worse ones end it", () => {
  expect(idsOf([published("a", 200, 21), published("b", 120, 14)])).toEqual(["a", "b"]);
  expect(idsOf([published("a", 200, 14), published("b", 120, 21)])).toEqual(["b"]);
  expect(idsOf([published("c", 70, 9), published("a", 200, 21), published("b", 120, 14)])).toBeNull();
  // Too few clicks to be a model, but a better rate.
  const better = published("d", 70, 4, { impressions: 100 });
  expect(idsOf([published("a", 200, 21), published("b", 120, 14), better])).toEqual(["a", "b"]);
});

test("a variant that was hardly shown by the end of the cooldown did worse; one without metrics is unknown", () => {
  const family = [published("a", 200, 21), published("b", 140, 14)];
  const unseen = published("c", 70, 0, { impressions: 20 });
  expect(idsOf([published("a", 200, 21), unseen])).toEqual(["a", "c"]);
  expect(idsOf([...family, unseen])).toBeNull();
  const lucky = published("c", 70, 1, { impressions: 2 });
  expect(idsOf([...family, lucky])).toBeNull();
  const unknown = published("c", 70, 0, { impressions: null, outboundClicks: null });
  expect(idsOf([...family, unknown])).toEqual(["a", "b"]);
  // An earlier pin is no variant of it.
  expect(idsOf([...family, published("c", 300, 0, { impressions: 20 })])).toEqual(["a", "b"]);
});
