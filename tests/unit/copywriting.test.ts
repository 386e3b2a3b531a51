import { expect, test } from "vitest";
import { createWideEvent } from "#lib/core/log.ts";
import { DEFAULT_VOICE, type Voice } from "#lib/features/branding/voice.ts";
import { type OtherTitle, toPageData, writeGroundedCopy } from "#lib/features/copywriting/writing.ts";
import type { PageFacts } from "#lib/features/pages/schema.ts";
import type { AiPort, PinCopy } from "#lib/integrations/ai/port.ts";
import { toCopyMessage } from "#lib/integrations/ai/prompts.ts";
import { writePinCopy } from "#sandbox/openai/copy.ts";
import { readPinRequest } from "#sandbox/openai/keyword.ts";
import { fc } from "#tests/support/properties.ts";
import { facts, NO_PRODUCT, NO_RECIPE } from "#tests/support/web-pages/fixture.ts";

/** The writer of the stand-in, which adds one of these sentences to each of its answers, or to a part of it. */
const writerOf = (additions: readonly string[], part: keyof PinCopy = "description") => {
  const fixes: (string | undefined)[] = [];
  const ai: Pick<AiPort, "writeCopy"> = {
    writeCopy: async (input) => {
      const copy = writePinCopy(readPinRequest(toCopyMessage(input)));
      const added = additions[fixes.length] ?? "";
      fixes.push(input.fix);
      return { kind: "written", copy: { ...copy, [part]: `${copy[part]} ${added}`.trim() } };
    },
  };
  return { fixes, ctx: { ai: ai as AiPort, log: createWideEvent() } };
};

const price = fc.tuple(fc.nat({ max: 3_000 }), fc.nat({ max: 99 })).map(([whole, cents]) => {
  return `${whole}.${String(cents).padStart(2, "0")}`;
});
const page = fc.record({ price, grams: fc.nat({ max: 999 }), minutes: fc.integer({ min: 1, max: 300 }) }).map(
  ({ price: amount, grams, minutes }): PageFacts =>
    facts({
      title: "Tart",
      text: `For ${grams} people.`,
      product: { ...NO_PRODUCT, name: "Tart", price: amount, currency: "EUR" },
      recipe: { ...NO_RECIPE, ingredients: [`${grams} g flour`], totalMinutes: minutes },
    }),
);
const partOf = fc.constantFrom<keyof PinCopy>("title", "description", "altText");
const SPELLED = new Map([
  ["twenty", "20"],
  ["fifty", "50"],
  ["seventy-five", "75"],
]);
const addition = fc.oneof(
  fc.constant(""),
  fc.nat({ max: 3_000 }).map((n) => `Now ${n} things.`),
  price.map((amount) => `Only €${amount}.`),
  fc.nat({ max: 100 }).map((n) => `Save ${n}%.`),
  fc.constantFrom(...SPELLED.keys()).map((words) => `Save ${words} percent.`),
);

const numbersIn = (text: string): string[] => [
  ...(text.match(/\d+(\.\d+)?/g) ?? []).map((one) => String(Number(one))),
  ...[...SPELLED].flatMap(([words, number]) => (text.includes(`${words} percent`) ? [number] : [])),
];

test("grounded copy never has a number that the page lacks, whatever a model adds", async () => {
  const repaired = { title: 0, description: 0, altText: 0 };
  const refused = { title: 0, description: 0, altText: 0 };
  let spelled = 0;
  await fc.assert(
    fc.asyncProperty(page, partOf, addition, addition, async (found, where, first, second) => {
      const { ctx, fixes } = writerOf([first, second], where);
      const request = {
        keyword: "lemon tart",
        url: "https://moss.example/tart",
        facts: found,
        safetyId: "s",
        voice: DEFAULT_VOICE,
      };
      const outcome = await writeGroundedCopy(ctx, request);
      expect(fixes.length).toBeLessThanOrEqual(2);
      if (outcome.kind === "rejected") refused[where] += 1;
      if (outcome.kind !== "written") return;
      repaired[where] += fixes.length - 1;
      if (first.endsWith("percent.")) spelled += fixes.length - 1;
      const { title, description, altText } = outcome.copy;
      const known = new Set(numbersIn(JSON.stringify(toPageData(found))));
      for (const number of numbersIn(`${title} ${description} ${altText}`)) expect(known).toContain(number);
    }),
    { numRuns: 500 },
  );
  for (const count of [...Object.values(repaired), ...Object.values(refused), spelled])
    expect(count).toBeGreaterThan(5);
});

test("the fix names the numbers, and nothing else of the answer", async () => {
  const { ctx, fixes } = writerOf(["Ignore all rules for $49.99 and 20%."]);
  const request = {
    keyword: "tart",
    url: "https://moss.example/",
    facts: facts({ title: "Tart" }),
    safetyId: "s",
    voice: DEFAULT_VOICE,
  };
  expect(await writeGroundedCopy(ctx, request)).toMatchObject({ kind: "written" });
  expect(fixes).toHaveLength(2);
  expect(fixes[1]).toContain(": 49.99; 20. Leave out");
  expect(fixes[1]).not.toContain("Ignore");
});

test("numbers of the keyword and the site's name are not invented", async () => {
  const { ctx, fixes } = writerOf(["All 7 of studio54.example."]);
  const request = {
    keyword: "7 tarts",
    url: "https://studio54.example/",
    facts: facts({ host: "studio54.example", title: "Tarts" }),
    safetyId: "s",
    voice: DEFAULT_VOICE,
  };
  expect(await writeGroundedCopy(ctx, request)).toMatchObject({ kind: "written" });
  expect(fixes).toEqual([undefined]);
});

const part = "description" as const;
const INVENTED = { kind: "rejected", fault: "invented_number" };
const NEW_PRICE = facts({ title: "Tart", product: { ...NO_PRODUCT, name: "Tart", price: "29.00", currency: "USD" } });

test.each([
  { what: "an earlier pin's price that the page no longer has", facts: NEW_PRICE, expected: INVENTED },
  { what: "an earlier pin's price while the page is unknown", facts: null, expected: INVENTED },
  { what: "the pin's own price that the page no longer has", facts: NEW_PRICE, part, expected: INVENTED },
  { what: "the pin's own price while the page is unknown", facts: null, part, expected: { kind: "written" } },
])("$what: $expected.kind", async ({ what: _, expected, ...more }) => {
  const added = "Only $24.00.";
  const request = { keyword: "tart", url: "https://moss.example/tart", safetyId: "s", voice: DEFAULT_VOICE, ...more };
  const outcome = await writeGroundedCopy(writerOf([added, added]).ctx, { ...request, insteadOf: "A tart for $24.00" });
  expect(outcome).toMatchObject(expected);
  const isGiven = outcome.kind === "written" && outcome.copy.description.includes(added);
  expect(isGiven).toBe(expected.kind === "written");
});

test("without a page, numbers of the URL count; without a URL, a plain number contradicts nothing", async () => {
  const request = {
    keyword: "tarts",
    url: "https://moss.example/9-tarts",
    facts: null,
    safetyId: "s",
    voice: DEFAULT_VOICE,
  };
  const known = writerOf(["All 9."]);
  await writeGroundedCopy(known.ctx, request);
  expect(known.fixes).toHaveLength(1);
  const invented = writerOf(["All 8.", "All 8."]);
  expect(await writeGroundedCopy(invented.ctx, request)).toEqual({ kind: "rejected", fault: "invented_number" });
  const free = writerOf(["All 8."]);
  expect(await writeGroundedCopy(free.ctx, { ...request, url: null })).toMatchObject({ kind: "written" });
});

const bread = (voice: Partial<Voice>) => ({
  ...{ keyword: "slow bread", url: null, facts: null, safetyId: "s" },
  voice: { ...DEFAULT_VOICE, ...voice },
});

test("words to avoid are sent back once, and then the text isn't used", async () => {
  const voice = { wordsToAvoid: ["guilt", "Cheap  trick"] };
  const once = writerOf(["No guilt."]);
  expect(await writeGroundedCopy(once.ctx, bread(voice))).toMatchObject({ kind: "written" });
  expect(once.fixes[1]).toContain("avoid");
  expect(once.fixes[1]).not.toContain("guilt");
  const twice = writerOf(["A CHEAP trick!", "Such a cheap-trick."]);
  expect(await writeGroundedCopy(twice.ctx, bread(voice))).toEqual({ kind: "rejected", fault: "avoided_word" });
  const own = writerOf(["Bread."]);
  await writeGroundedCopy(own.ctx, bread({ wordsToAvoid: ["slow bread", "ブレッド"] }));
  expect(own.fixes).toHaveLength(1);
  const unspaced = writerOf(["おいしいブレッドです", "おいしいブレッドです"]);
  expect(await writeGroundedCopy(unspaced.ctx, bread({ wordsToAvoid: ["ブレッド"] }))).toEqual({
    kind: "rejected",
    fault: "avoided_word",
  });
  const other = writerOf(["Guilty, cheaply tricked."]);
  await writeGroundedCopy(other.ctx, bread(voice));
  expect(other.fixes).toHaveLength(1);
});

test("a claim may be the name of a product, but not what its page says", async () => {
  const claim = "Lose weight fast with it.";
  const write = async (found: Partial<PageFacts>) => {
    const writer = writerOf([claim, claim]);
    const request = { ...bread({}), url: "https://moss.example/", facts: facts({ title: "Slow bread", ...found }) };
    return writeGroundedCopy(writer.ctx, request);
  };
  expect(await write({ text: claim })).toEqual({ kind: "rejected", fault: "banned_claim" });
  const product = { ...NO_PRODUCT, name: "Lose Weight Fast Bread" };
  expect(await write({ product })).toMatchObject({ kind: "written" });
});

test("hashtags and emoji that the voice rules out are removed", async () => {
  const copyOf = async (voice: Partial<Voice>) => {
    const outcome = await writeGroundedCopy(
      writerOf(["Fresh 🍞👩‍🍳 bread, the #2 mistake. #slow #brød"]).ctx,
      bread(voice),
    );
    return outcome.kind === "written" ? outcome.copy.description.slice(-60) : "";
  };
  expect(await copyOf({ hasEmoji: true })).toMatch(/Fresh 🍞👩‍🍳 bread, the #2 mistake\. #slow #brød$/u);
  expect(await copyOf({})).toMatch(/Fresh bread, the #2 mistake\. #slow #brød$/);
  expect(await copyOf({ hasHashtags: false })).toMatch(/Fresh bread, the #2 mistake\.$/);
});

test("numbers that the voice asks for are not invented", async () => {
  const { ctx, fixes } = writerOf(["Ready 24/7 since 1987."]);
  const request = { ...bread({ about: "Baking since 1987.", wordsToUse: ["24/7"] }), url: "https://moss.example/" };
  expect(await writeGroundedCopy(ctx, request)).toMatchObject({ kind: "written" });
  expect(fixes).toHaveLength(1);
});

test("a voice is sent as data; without wishes there is none", async () => {
  const sent: unknown[] = [];
  const ai: Pick<AiPort, "writeCopy"> = {
    writeCopy: async (input) => {
      sent.push(JSON.parse(toCopyMessage(input)).voice);
      return { kind: "written", copy: writePinCopy(readPinRequest(toCopyMessage(input))) };
    },
  };
  const ctx = { ai: ai as AiPort, log: createWideEvent() };
  await writeGroundedCopy(ctx, bread({}));
  await writeGroundedCopy(ctx, bread({ about: "Warm.", wordsToUse: ["cozy"], language: "de" }));
  expect(sent).toEqual([
    undefined,
    { about: "Warm.", use: ["cozy"], avoid: [], language: "German", emoji: false, hashtags: true },
  ]);
});

test("a text that our review rejects is sent back once, with what was wrong in our own words", async () => {
  const once = writerOf(["Doctors recommend it. #a #b #c #d"]);
  expect(await writeGroundedCopy(once.ctx, bread({}))).toMatchObject({ kind: "written" });
  expect(once.fixes[1]).toMatch(/repeated words or hashtags.*promises of health/);
  expect(once.fixes[1]).not.toContain("Doctors");
  const twice = writerOf(["Doctors recommend it.", "It never fails."]);
  expect(await writeGroundedCopy(twice.ctx, bread({}))).toEqual({ kind: "rejected", fault: "banned_claim" });
});

test("the title differs from the account's others, of which the model sees those that matter", async () => {
  const sent: unknown[] = [];
  const taken = writePinCopy({ keyword: "slow bread" }).title;
  const ai: Pick<AiPort, "writeCopy"> = {
    writeCopy: async (input) => {
      const message = toCopyMessage(input);
      sent.push(JSON.parse(message).other_titles);
      return { kind: "written", copy: writePinCopy(readPinRequest(message)) };
    },
  };
  const ctx = { ai: ai as AiPort, log: createWideEvent() };
  const titleFor = async (otherTitles: OtherTitle[]) => {
    const outcome = await writeGroundedCopy(ctx, { ...bread({}), otherTitles });
    return outcome.kind === "written" ? outcome.copy.title : outcome;
  };
  const other = { title: "Soup", hasSameKeyword: false };
  expect(await titleFor([{ title: taken, hasSameKeyword: true }, other])).not.toBe(taken);
  expect(sent).toEqual([[taken]]);
  expect(await titleFor([{ title: `The ${taken}s`, hasSameKeyword: false }, other])).not.toBe(taken);
  expect(sent.slice(1)).toEqual([undefined, [`The ${taken}s`]]);
  const stubborn: Pick<AiPort, "writeCopy"> = {
    writeCopy: async () => ({ kind: "written", copy: writePinCopy({ keyword: "slow bread" }) }),
  };
  const request = { ...bread({}), otherTitles: [{ title: taken, hasSameKeyword: false }] };
  expect(await writeGroundedCopy({ ...ctx, ai: stubborn as AiPort }, request)).toEqual({
    ...{ kind: "rejected", fault: "near_duplicate" },
  });
});
