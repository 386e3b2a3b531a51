import { createHash } from "node:crypto";
import { loadImage } from "@napi-rs/canvas";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Handle } from "#sandbox/kit/serve.ts";
import { bytesOf, requestImage, requestText, start } from "./sandbox-openai-client.ts";

let openai: Handle;
beforeAll(async () => {
  openai = await start();
});
afterAll(() => openai.close());

const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

describe("images", () => {
  test("R-SRV-10 an image is a JPEG of exactly the requested size", async () => {
    const answer = await requestImage(openai.url, "small balcony garden");
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ size: "1024x1536", output_format: "jpeg" });
    const bytes = bytesOf(answer);
    expect(bytes.subarray(0, 3).toString("hex")).toBe("ffd8ff");
    const image = await loadImage(bytes);
    expect([image.width, image.height]).toEqual([1024, 1536]);
    expect(answer.body.usage.total_tokens).toBeGreaterThan(0);
  });

  test.each([
    ["992x1488", "png", "89504e47"],
    ["1536x1024", "webp", "52494646"],
    ["512x1536", "jpeg", "ffd8ff"],
    ["auto", "jpeg", "ffd8ff"],
  ])("R-SRV-10 size %s as %s", async (size, format, magic) => {
    const answer = await requestImage(openai.url, "ridge hikes", { size, output_format: format });
    const bytes = bytesOf(answer);
    expect(bytes.toString("hex", 0, magic.length / 2)).toBe(magic);
    const image = await loadImage(bytes);
    expect(`${image.width}x${image.height}`).toBe(size === "auto" ? "1024x1536" : size);
  });

  test("R-SRV-10 another prompt gives another image, the same prompt the same image", async () => {
    const keywords = ["oat biscuits", "oat biscuit", "a cabin by the lake", "linen curtains", "日本", "🌿"];
    const answers = await Promise.all(keywords.map((keyword) => requestImage(openai.url, keyword)));
    const digests = answers.map((answer) => digest(bytesOf(answer)));
    expect(new Set(digests).size).toBe(keywords.length);
    const again = await requestImage(openai.url, "oat biscuits");
    expect(digest(bytesOf(again))).toBe(digests[0]);
  });

  test("R-SRV-10 text requests are answered while images are rendered", async () => {
    let rendered = 0;
    const pending = Array.from({ length: 16 }, async (_, index) => {
      await requestImage(openai.url, `queue ${index}`);
      rendered += 1;
    });
    await Promise.race(pending);
    expect((await requestText(openai.url, "tea")).status).toBe(200);
    expect(rendered).toBeLessThan(16);
    await Promise.all(pending);
    expect(rendered).toBe(16);
  });
});
