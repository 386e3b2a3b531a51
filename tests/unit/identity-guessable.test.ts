import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { COMMON_PASSWORDS, GUESSABLE_TEXTS, refuseGuessable } from "#lib/features/identity/guessable.ts";
import { cpuMsOf } from "#tests/support/cpu.ts";

const ada = { email: "ada.moss@garden-letters.example", username: "adamoss77", firstName: "Ada", lastName: "Mosswood" };
const check = (password: string, productName = "Evertack") =>
  refuseGuessable(password, { ...ada, productName, field: "password" });
const refusal = (text: string) => expect.objectContaining({ code: "invalid", fields: { password: [text] } });

describe("common passwords", () => {
  test.each([
    "12345678",
    "password",
    "Password1!",
    "P@ssw0rd",
    "Pa$$w0rd123!",
    "passwordpassword",
    "Qwerty123!",
    "qwertyuiop",
    "1qaz@WSX",
    "1q2w3e4r5t6y7u8i",
    "!QAZ2wsx",
    "Letmein2026!",
    "L3tm31n!!",
    "Summer2026!",
    "Sunshine12345!",
    "iloveyou",
    "Iloveyou#1",
    "Adm1n!2345",
    "Welcome1!",
    "trustno1",
    "correcthorsebatterystaple",
    "Correct Horse Battery Staple",
    "abcdefghijklmnop",
    "zyxwvutsrqponm",
    "aaaaaaaaaaaaaaa",
    "Aa1!Aa1!Aa1!Aa1!",
    "Ｐａｓｓｗｏｒｄ１！",
    "987654321987654321",
    "Dragon-Master!",
    "Love-1234!",
  ])("%s is refused", (password) => {
    expect(() => check(password)).toThrow(refusal(GUESSABLE_TEXTS.common));
  });

  test.each([
    "correct horse 1",
    "Fresh-Moss-42!",
    "Third-Moss-1!",
    "Ever green 2026!",
    "Moss!42a",
    "Wq7!zrkP",
    "purple guitar in the attic",
    "Glove!42x",
    "тихая гавань 7",
    "静かな庭の七月の雨",
    "A!a#%1^&*?",
  ])("%s is accepted", (password) => {
    expect(() => check(password)).not.toThrow();
  });

  test("random ones are never refused", () => {
    for (let n = 0; n < 2_000; n += 1) {
      check(randomBytes(9).toString("base64url"));
      check(`pw ${randomBytes(9).toString("hex")}`);
    }
  });

  test("the list holds the best-known ones in one form each", () => {
    expect(COMMON_PASSWORDS.size).toBeGreaterThan(1_500);
    for (const word of COMMON_PASSWORDS) expect(word).toMatch(/^[a-z0-9]{3,}$/);
  });

  test("a long password costs no more than a few milliseconds", () => {
    const long = `${"aB3$".repeat(49)}xyzt`;
    check(long);
    const { cpuMs } = cpuMsOf(() => {
      for (let n = 0; n < 20; n += 1) check(long);
    });
    expect(cpuMs / 20).toBeLessThan(50);
  });
});

describe("the user's own words", () => {
  test.each([
    "Adamoss77!",
    "4d4m0ss77!",
    "Mosswood2026!",
    "mosswood-mosswood!",
    "Ada-Mosswood-1!",
    "ada.moss@garden-letters.example",
    "Ada.Moss!2026",
    "Garden-Letters1!",
    "Evertack2026!",
    "3v3rt4ck!!",
  ])("%s is refused", (password) => {
    expect(() => check(password)).toThrow(refusal(GUESSABLE_TEXTS.personal("Evertack")));
  });

  test("the product's name is that of this installation", () => {
    expect(() => check("Tackroom2026!")).not.toThrow();
    expect(() => check("Tackroom2026!", "Tack Room")).toThrow(refusal(GUESSABLE_TEXTS.personal("Tack Room")));
  });

  test.each(["Mosswood under seven bridges", "my-Ada-likes-9-lemons"])("%s merely contains one", (password) => {
    expect(() => check(password)).not.toThrow();
  });

  test("a name that has no letters or digits refuses nothing", () => {
    const nameless = { email: "a@b.co", username: "...", firstName: "-", lastName: "" };
    const known = { ...nameless, productName: "!", field: "password" };
    expect(() => refuseGuessable("Wq7!zrkP", known)).not.toThrow();
  });
});
