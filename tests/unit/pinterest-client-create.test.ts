import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { NewPinterestPin } from "#lib/integrations/pinterest/port.ts";
import { scriptedPinterest } from "#tests/support/scripted-pinterest.ts";

const pin: NewPinterestPin = {
  boardId: "12345",
  boardSectionId: "67",
  title: "A title",
  description: "",
  altText: "Alt",
  link: null,
  media: { kind: "image", jpeg: new Uint8Array([255, 216, 255, 0]) },
  aiModified: true,
};

describe("creating a pin", () => {
  test("R-SRV-03 sends a base64 JPEG with the AI label, and omits empty fields", async () => {
    const { client, seen } = await scriptedPinterest({ status: 201, json: { id: "81", extra: 1 } });
    expect(await client.createPin("t", pin)).toEqual({ kind: "created", pinterestPinId: "81", httpStatus: 201 });
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
      board_id: "12345",
      board_section_id: "67",
      title: "A title",
      alt_text: "Alt",
      media_source: { source_type: "image_base64", content_type: "image/jpeg", data: "/9j/AA==" },
      ai_disclosures: { values: ["AI_MODIFIED"] },
    });
  });

  test("an image that is not AI-generated has no label, not even an empty one", async () => {
    const { client, seen } = await scriptedPinterest({ json: { id: "81" } });
    await client.createPin("t", { ...pin, aiModified: false, link: "https://x.test/", description: "Words" });
    expect(JSON.parse(seen[0]?.body ?? "")).not.toHaveProperty("ai_disclosures");
    expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ link: "https://x.test/", description: "Words" });
  });

  test.each([
    ["timeout", "hang" as const],
    ["a cut reply", "cut" as const],
    ["500", { status: 500, json: { code: 500, message: "Something went wrong on our end" } }],
    ["503 without a body", { status: 503, text: "" }],
    ["an unreadable success", { status: 201, text: '{"id": "8130' }],
    ["a success without an id", { status: 200, json: {} }],
    ["a redirect", { status: 307, headers: { location: "/elsewhere" } }],
  ])("R-SRV-03 %s makes the outcome unknown, and the pin is not sent again", async (_, answer) => {
    const { client, seen } = await scriptedPinterest(answer);
    expect(await client.createPin("t", pin)).toMatchObject({ kind: "unknown", problem: { kind: "unavailable" } });
    expect(seen).toHaveLength(1);
  });

  test("R-SRV-04 a refusal is certain: nothing was created", async () => {
    const limited = { status: 429, json: { code: 8, message: "limit" }, headers: { "x-ratelimit-reset": "3, 60;w=1" } };
    const { client } = await scriptedPinterest({ status: 403, json: { code: 233, message: "too small" } }, limited);
    expect(await client.createPin("t", pin)).toMatchObject({ kind: "refused", problem: { kind: "rejected" } });
    expect(await client.createPin("t", pin)).toMatchObject({
      kind: "refused",
      problem: { kind: "rate_limited", retryAfterSeconds: 3 },
    });
  });

  test("an older Pinterest without the label gets the pin without it, with a note", async () => {
    const unknownField = { status: 400, json: { code: 1, message: "body has an unknown field 'ai_disclosures'" } };
    const { client, seen } = await scriptedPinterest(unknownField, { status: 201, json: { id: "82" } });
    expect(await client.createPin("t", pin)).toEqual({
      kind: "created",
      pinterestPinId: "82",
      httpStatus: 201,
      note: "Pinterest didn't accept the AI label, so the pin was created without it.",
    });
    expect(seen.map(({ body }) => "ai_disclosures" in JSON.parse(body))).toEqual([true, false]);
  });

  test("R-SRV-03 only that 400 is retried, and the second answer counts", async () => {
    const named = { code: 1, message: "ai_disclosures" };
    const first = await scriptedPinterest({ status: 500, json: named });
    expect(await first.client.createPin("t", pin)).toMatchObject({ kind: "unknown" });
    expect(first.seen).toHaveLength(1);
    const second = await scriptedPinterest({ status: 400, json: named }, "cut");
    expect(await second.client.createPin("t", pin)).toMatchObject({ kind: "unknown" });
    expect(second.seen).toHaveLength(2);
  });

  test("R-SRV-03 a process that stalled since the first answer does not send it again", async () => {
    const unknownField = { status: 400, json: { code: 1, message: "body has an unknown field 'ai_disclosures'" } };
    const { client, seen } = await scriptedPinterest(unknownField, { status: 201, json: { id: "83" } });
    const realNow = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => realNow() + (seen.length > 0 ? 300_000 : 0));
    onTestFinished(() => clock.mockRestore());
    expect(await client.createPin("t", pin)).toMatchObject({ kind: "refused", problem: { kind: "unavailable" } });
    expect(seen).toHaveLength(1);
  });
});
