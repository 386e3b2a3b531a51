type Rgb = readonly [number, number, number];

/** WCAG 2.2, 1.4.3. */
export const CONTRAST_MIN = 4.5;

/** @throws Error when the value is not `#rrggbb`. */
export const toRgb = (hex: string): Rgb => {
  if (!/^#[0-9a-f]{6}$/i.test(hex)) throw new Error(`Not a color: ${JSON.stringify(hex)}`);
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

const LINEAR = Float64Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

/** Relative luminance, 0 to 1, of channels from 0 to 255. */
export const luminanceOfParts = (red: number, green: number, blue: number): number =>
  0.2126 * (LINEAR[red] ?? 0) + 0.7152 * (LINEAR[green] ?? 0) + 0.0722 * (LINEAR[blue] ?? 0);

export const luminanceOf = (hex: string): number => luminanceOfParts(...toRgb(hex));

/** Contrast of two luminances: 1 to 21. */
export const contrastOfLuminances = (one: number, other: number): number =>
  (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);

export const contrastOf = (one: string, other: string): number =>
  contrastOfLuminances(luminanceOf(one), luminanceOf(other));
