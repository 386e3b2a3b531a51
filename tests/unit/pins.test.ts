import { describe, expect, test } from "vitest";
import { decodeCursor, encodeCursor } from "#lib/core/paging.ts";
import { editDraftInput, listPinsInput } from "#lib/features/pins/schema.ts";

const errorOf = (result: { success: boolean; error?: { issues: { message: string }[] } }) =>
  result.error?.issues[0]?.message;

describe("list-posts input", () => {
  test("R-POST-03 accepts the five filters, all by default, and no other", () => {
    for (const status of ["all", "published", "scheduled", "draft", "failed"]) {
      expect(listPinsInput.parse({ accountId: "acc", status }).status).toBe(status);
    }
    expect(listPinsInput.parse({ accountId: "acc" }).status).toBe("all");
    for (const status of ["", "Draft", "pending", "draft,failed"]) {
      expect(listPinsInput.safeParse({ accountId: "acc", status }).success).toBe(false);
    }
  });

  test("accepts whole numbers from 1 to 200 as limit", () => {
    for (const limit of ["0", "-1", "1.5", "201", "many", ""]) {
      expect(listPinsInput.safeParse({ accountId: "acc", limit }).success).toBe(false);
    }
    expect(listPinsInput.parse({ accountId: "acc", limit: "200" }).limit).toBe(200);
  });

  test("decodes its own cursors and no others", () => {
    const at = { createdAt: new Date("2026-11-20T12:34:56.789Z"), id: "pin_01m7wgvvkbh3n2cmws55r6v907" };
    expect(decodeCursor(encodeCursor(at))).toEqual(at);
    for (const text of ["", ".", "x", "mi7.", ".pin_1", "mi7.pin 1", "mi7.'; drop", "ZZ.pin_1"]) {
      expect(decodeCursor(text)).toBeNull();
    }
  });
});

describe("edit-draft input", () => {
  const edit = (change: Record<string, unknown>) => editDraftInput.safeParse({ pinId: "pin_1", ...change });

  test("Pinterest's limits: title 100, description 800, link 2048", () => {
    expect(edit({ title: "x".repeat(100), description: "x".repeat(800) }).success).toBe(true);
    expect(errorOf(edit({ title: "x".repeat(101) }))).toContain("100");
    expect(errorOf(edit({ title: "  \u0000 " }))).toBe("Enter a title.");
    expect(errorOf(edit({ description: "x".repeat(801) }))).toContain("800");
    expect(errorOf(edit({ link: `https://example.com/${"x".repeat(2_048)}` }))).toContain("2,048");
    expect(errorOf(edit({ link: `https://example.com/${"ü".repeat(1_000)}` }))).toContain("2,048");
  });

  test("R-POST-03 a title is one line of composed letters; a description keeps line breaks", () => {
    expect(edit({ title: " One\r\n  two\n\nthree\n" }).data).toMatchObject({ title: "One two three" });
    expect(edit({ title: "Cafe\u0301" }).data).toMatchObject({ title: "Caf\u00e9" });
    expect(edit({ description: "One\ntwo" }).data).toMatchObject({ description: "One\ntwo" });
  });

  test("links are http or https, or none", () => {
    expect(edit({ link: "" }).data).toMatchObject({ link: null });
    expect(edit({ link: null }).data).toMatchObject({ link: null });
    expect(edit({ link: " https://Example.com/a b " }).data).toMatchObject({ link: "https://example.com/a%20b" });
    for (const link of [
      "javascript:alert(1)",
      "ftp://example.com",
      "example.com",
      "//example.com",
      "data:text/html,x",
    ]) {
      expect(edit({ link }).success).toBe(false);
    }
  });

  test("accepts numeric board ids; keeps hostile text as text and removes control characters", () => {
    expect(edit({ boardId: "919550204899226474" }).success).toBe(true);
    expect(edit({ boardId: "1; drop table pins" }).success).toBe(false);
    expect(edit({ title: "<img src=x onerror=alert(1)>\u0000\u0007" }).data).toMatchObject({
      title: "<img src=x onerror=alert(1)>",
    });
    expect(edit({ description: "two\nlines" }).data).toMatchObject({ description: "two\nlines" });
  });

  test("leaves absent fields absent", () => {
    expect(edit({}).data).toEqual({ pinId: "pin_1" });
  });
});
