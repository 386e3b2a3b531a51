import { describe, expect, test } from "vitest";
import { visible } from "#lib/core/text.ts";
import { contactInput } from "#lib/features/contact/schema.ts";
import { generatePinsInput } from "#lib/features/generation/schema.ts";
import { altText, description, title } from "#lib/features/pins/schema.ts";
import { toOneLine } from "#lib/integrations/ai/answers.ts";

const between = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const MARKS = [0x061c, 0x200e, 0x200f, ...between(0x202a, 0x202e), ...between(0x2066, 0x2069)];

const keywordOf = (keyword: string) =>
  generatePinsInput.parse({
    pinterest_account: "acc_1",
    board_id: "1",
    quality: "standard",
    keyword_data: [{ keyword }],
  }).rows[0]?.keyword;
const contact = (text: string) =>
  contactInput.parse({ name: "Ada", email: "a@example.com", subject: text, message: text });

const READERS: [string, (text: string) => unknown][] = [
  ["a keyword", keywordOf],
  ["a title", (text) => title.parse(text)],
  ["a description", (text) => description.parse(text)],
  ["an alt text", (text) => altText.parse(text)],
  ["a text of the AI", toOneLine],
  ["the subject of a message to support", (text) => contact(text).subject],
  ["a message to support", (text) => contact(text).message],
];

describe("marks that change the direction of text", () => {
  test.each(READERS)("are removed from %s", (_what, read) => {
    for (const mark of MARKS) {
      const char = String.fromCodePoint(mark);
      expect([mark.toString(16), read(`invoice${char}fdp.exe${char}`)]).toEqual([mark.toString(16), "invoicefdp.exe"]);
    }
  });

  test("alone are an empty keyword and title", () => {
    expect(() => keywordOf("\u202e\u2066")).toThrow();
    expect(title.safeParse("\u200f\u061c").success).toBe(false);
  });

  test("right-to-left scripts, joined emoji and other invisible joiners stay", () => {
    for (const text of ["حديقة صغيرة", "גן קטן 2026", "👩‍🌾 garden", "क्‍ष"]) {
      expect([visible(text), keywordOf(text), title.parse(text)]).toEqual(
        [text, text, text].map((one) => one.normalize("NFC")),
      );
    }
  });
});
