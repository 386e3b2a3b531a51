import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { AccountId } from "#lib/core/ids.ts";
import { likenessDistance } from "#lib/core/images.ts";
import { addMinutes, MINUTE_MS } from "#lib/core/time.ts";
import { findClashes, findFreeStart, type Slot } from "#lib/features/publishing/free-times.ts";
import { planSlots } from "#lib/features/publishing/policy.ts";
import type { KnownPin } from "#lib/features/publishing/queries.ts";
import { type Candidate, findDuplicates } from "#lib/features/publishing/schedule-preview.ts";
import { createRandom } from "#tests/support/random.ts";

const ONE = "account_one" as unknown as AccountId;
const OTHER = "account_other" as unknown as AccountId;
const NOON = new Date("2026-11-22T12:00:00.000Z");

const known = (minutes: number, change: Partial<KnownPin> = {}): KnownPin => ({
  id: `known ${minutes}`,
  accountId: ONE,
  title: `At ${minutes}`,
  link: null,
  imageKey: "pins/known.jpg",
  likeness: null,
  status: "scheduled",
  at: addMinutes(NOON, minutes),
  wakeAt: null,
  ...change,
});

const planOf = (count: number, intervalMinutes: number, start = NOON, accountId = ONE): Slot[] =>
  planSlots(
    Array.from({ length: count }, (_, n) => String(n)),
    start,
    intervalMinutes,
  ).map((slot) => ({ ...slot, accountId }));

const minutesOf = (start: Date | null) => start && (start.getTime() - NOON.getTime()) / MINUTE_MS;

describe("R-SCH-01 clashes", () => {
  test("less than five minutes on either side clashes, and the closest pin is reported", () => {
    const waiting = [known(-5), known(57), known(61), known(120), known(184.9), known(245)];
    const clashes = findClashes(planOf(5, 60), waiting);
    expect([...clashes].map(([id, { title }]) => [id, title])).toEqual([
      ["1", "At 61"],
      ["2", "At 120"],
      ["3", "At 184.9"],
    ]);
  });

  test("pins of another account do not clash", () => {
    expect(findClashes(planOf(2, 60), [known(0, { accountId: OTHER })]).size).toBe(0);
    const both = [...planOf(1, 60), ...planOf(1, 60, NOON, OTHER).map((slot) => ({ ...slot, id: "other" }))];
    expect([...findClashes(both, [known(0, { accountId: OTHER })]).keys()]).toEqual(["other"]);
  });
});

describe("R-SCH-01 the next free start", () => {
  test("after one pin, after several, in a gap between two, and at a full minute", () => {
    expect(minutesOf(findFreeStart(planOf(1, 60), [known(0)]))).toBe(5);
    expect(minutesOf(findFreeStart(planOf(1, 60), [known(0), known(6), known(12)]))).toBe(17);
    expect(minutesOf(findFreeStart(planOf(1, 60), [known(0), known(10)]))).toBe(5);
    expect(minutesOf(findFreeStart(planOf(1, 60), [known(0.5)]))).toBe(6);
    expect(minutesOf(findFreeStart(planOf(3, 60), [known(60)]))).toBe(5);
    const late = new Date(NOON.getTime() + 12_345);
    expect(minutesOf(findFreeStart(planOf(2, 60, late), [known(60)]))).toBe(5);
  });

  test("without clashes the plan stays, to the millisecond", () => {
    const odd = new Date(NOON.getTime() + 12_345);
    expect(findFreeStart(planOf(2, 60, odd), [known(30)])).toEqual(odd);
    expect(findFreeStart(planOf(2, 60), [])).toBeNull();
  });

  test("is the first free minute: 200 random plans compared with a plain search", () => {
    const { below } = createRandom(1);
    for (let n = 0; n < 200; n += 1) {
      const waiting = Array.from({ length: below(30) + 1 }, () => known(below(600))).sort((a, b) => +a.at - +b.at);
      const [count, interval] = [below(8) + 1, below(90) + 1];
      const isFree = (minutes: number) =>
        findClashes(planOf(count, interval, addMinutes(NOON, minutes)), waiting).size === 0;
      let expected = 0;
      while (!isFree(expected)) expected += 1;
      expect(minutesOf(findFreeStart(planOf(count, interval), waiting))).toBe(expected);
    }
  });

  test("when the account is full for years, the plan quickly goes after everything", () => {
    const waiting = Array.from({ length: 10_000 }, (_, n) => known(n * 9));
    const start = findFreeStart(planOf(500, 9), waiting);
    expect(minutesOf(start)).toBe(9_999 * 9 + 5);
  });
});

describe("R-SCH-01 duplicates", () => {
  const candidate = (id: string, title: string, likeness: string | null): Candidate => ({
    id,
    accountId: ONE,
    title,
    imageKey: `pins/${id}.jpg`,
    likeness,
  });
  const duplicatesOf = async (planned: Candidate[], others: KnownPin[] = []) =>
    [...(await findDuplicates(planned, others))].map(([id, { title, by, pin }]) => [
      id,
      title,
      by,
      pin?.status ?? "selected",
    ]);

  test("up to eight differing image bits, or the same title regardless of case and punctuation", async () => {
    const others = [
      known(0, { title: "Far", likeness: "00000000ffff01ff" }),
      known(0, { title: "Near", likeness: "ff000000ffff0000", status: "published" }),
      known(0, { title: "  Ｃosy KITCHENS – 10 ideas! ", likeness: null }),
    ];
    expect(await duplicatesOf([candidate("a", "A", "00000000ffff0000")], others)).toEqual([
      ["a", "Near", "image", "published"],
    ]);
    expect(await duplicatesOf([candidate("b", "Cosy kitchens: 10 ideas", null)], others)).toEqual([
      ["b", "  Ｃosy KITCHENS – 10 ideas! ", "title", "scheduled"],
    ]);
    expect(await duplicatesOf([candidate("c", "C", "0f0f0f0f0f0f0f0f"), candidate("d", "D", null)], others)).toEqual(
      [],
    );
  });

  test("matches in both come first, then the closest image, then the title", async () => {
    const title = known(0, { title: "A", likeness: "ffffffffffffffff" });
    const image = known(1, { title: "B", likeness: "00000000ffff0001" });
    const both = known(2, { title: "a!", likeness: "00000000ffff007f" });
    const planned = [candidate("a", "A", "00000000ffff0000")];
    expect(await duplicatesOf(planned, [title, image, both])).toEqual([["a", "a!", "both", "scheduled"]]);
    expect(await duplicatesOf(planned, [title, image])).toEqual([["a", "B", "image", "scheduled"]]);
    expect(await duplicatesOf(planned, [title])).toEqual([["a", "A", "title", "scheduled"]]);
  });

  test("plain images and gradients are compared by title only", async () => {
    const plain = "000000000000083f";
    const gradient = "840200100000083c";
    const others = [known(0, { title: "Paint", likeness: plain }), known(0, { title: "Dusk", likeness: gradient })];
    expect(
      await duplicatesOf([candidate("a", "Other paint", plain), candidate("b", "Dawn", gradient)], others),
    ).toEqual([]);
    expect(await duplicatesOf([candidate("c", "paint!", plain)], others)).toEqual([
      ["c", "Paint", "title", "scheduled"],
    ]);
    const fifth = [known(0, { title: "Shapes", likeness: "840200100100083c" })];
    expect(await duplicatesOf([candidate("d", "D", gradient), candidate("e", "E", "840200100100083f")], fifth)).toEqual(
      [["e", "Shapes", "image", "scheduled"]],
    );
  });

  test("within a plan the later pin is reported, and titles without letters never match", async () => {
    const planned = [candidate("a", "Fern", null), candidate("b", "✨", null), candidate("c", "fern.", null)];
    expect(await duplicatesOf([...planned, candidate("d", "🌿", null)])).toEqual([["c", "Fern", "title", "selected"]]);
  });

  test("other accounts do not matter", async () => {
    expect(await duplicatesOf([candidate("a", "Fern", null)], [known(0, { title: "Fern", accountId: OTHER })])).toEqual(
      [],
    );
  });

  test("counts all 64 bits correctly", async () => {
    const random = createRandom(2);
    const hex = () => Array.from({ length: 16 }, () => random.below(16).toString(16)).join("");
    for (let n = 0; n < 500; n += 1) {
      const one = hex();
      const flipped = BigInt(`0x${one}`) ^ (BigInt(`0x${hex()}`) & BigInt(`0x${hex()}`) & BigInt(`0x${hex()}`));
      const other = flipped.toString(16).padStart(16, "0");
      const isNear = (await duplicatesOf([candidate("a", "A", one)], [known(0, { likeness: other })])).length === 1;
      expect(isNear).toBe(likenessDistance(one, other) <= 8);
    }
  });

  test("R-SCH-01 comparing 500 pins with 20,000 does not block the process", async () => {
    const random = createRandom(3);
    const hex = () => Array.from({ length: 16 }, () => random.below(16).toString(16)).join("");
    const others = Array.from({ length: 20_000 }, (_, n) => known(n, { likeness: hex() }));
    const [first] = others;
    const planned = Array.from({ length: 500 }, (_, n) => candidate(String(n), `Plan ${n}`, first?.likeness ?? null));
    let [turns, isDone] = [0, false];
    const takeTurns = async () => {
      for (; !isDone; turns += 1) await setImmediate();
    };
    const waiting = takeTurns();
    const duplicates = await findDuplicates(planned, others);
    isDone = true;
    await waiting;
    expect(duplicates.size).toBe(500);
    expect(duplicates.get("499")?.pin).toBe(first);
    expect(turns).toBeGreaterThan(40);
  });
});
