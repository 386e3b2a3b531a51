import { createCanvas } from "@napi-rs/canvas";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import type { BrandColors } from "#lib/core/images.ts";
import { createImages } from "#lib/integrations/images/client.ts";
import { pairingOf } from "#lib/integrations/images/fonts.ts";
import { layOutText } from "#lib/integrations/images/text-fitting.ts";

const images = createImages();

describe("text on templates", () => {
  test("a barely legible color is used without a plate that would exceed the shape", async () => {
    // 4.6 to 1: enough, but below the target.
    const honey: BrandColors = { panel: "#fff3d6", words: "#4a2f12", accent: "#9e611c" };
    const image = await sharp({ create: { width: 360, height: 560, channels: 3, background: "#ff00ff" } })
      .jpeg()
      .toBuffer();
    const input = {
      image,
      template: "disc",
      text: "Figs and fir",
      signature: "mossandstone.com",
      colors: honey,
      fontPairing: "broadsheet",
      logo: null,
    } as const;
    const { data, info } = await sharp((await images.drawTemplate(input)).jpeg)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const isGround = (x: number, y: number) => {
      const at = (y * info.width + x) * 3;
      return (data[at] ?? 0) > 120 && (data[at + 1] ?? 0) < 40 && (data[at + 2] ?? 0) > 120;
    };
    const widths = Array.from(
      { length: info.height },
      (_, y) => Array.from({ length: info.width }, (_, x) => x).filter((x) => !isGround(x, y)).length,
    );
    const radius = Math.max(...widths) / 2;
    const middle = widths.findIndex((width) => width > 0) + radius;
    // No row is wider than the circle at that height.
    const beyond = widths.map((width, y) => width - 2 * Math.sqrt(Math.max(0, radius ** 2 - (y - middle) ** 2)));
    expect(Math.max(...beyond)).toBeLessThan(36);
  });

  test("letters with diacritics get more space; one very long word is hyphenated evenly and does not shrink the rest", () => {
    const ctx = createCanvas(10, 10).getContext("2d");
    const bounds = { widthPx: 650, heightPx: 700, largestPx: 124, smallestPx: 38, linesMax: 5 };
    const fitted = (text: string) => layOutText(ctx, text, pairingOf("poster").text, bounds);
    expect(fitted("ẾŽŰ").ascent).toBeGreaterThan(fitted("EZU").ascent + 0.1);
    const long = fitted("Donaudampfschifffahrtsgesellschaft");
    expect(long.sizePx).toBeGreaterThan(60);
    expect(long.lines.map(({ text }) => text).join("")).toMatch(/^Donau.*-.*schaft$/);
    const lengths = long.lines.map(({ text }) => text.replace("-", "").length);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(2);
    const short = fitted("Mediterranean summer");
    expect(short.lines.map(({ text }) => text)).toEqual(["Mediterranean", "summer"]);
    for (const { widthPx } of [...long.lines, ...short.lines]) expect(widthPx).toBeLessThanOrEqual(650);
  });
});
