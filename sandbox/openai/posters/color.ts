/** Colour arithmetic on `#rrggbb` strings. */

function channels(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** The colour `share` of the way from one to the other. */
export function mix(from: string, to: string, share: number): string {
  const target = channels(to);
  const mixed = channels(from).map((value, index) => {
    const channel = Math.round(value + ((target[index] ?? 0) - value) * share);
    return channel.toString(16).padStart(2, "0");
  });
  return `#${mixed.join("")}`;
}

/** Relative luminance, 0 (black) to 1 (white), as WCAG defines it. */
export function luminance(hex: string): number {
  const [red, green, blue] = channels(hex).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

/** WCAG contrast ratio of two colours, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

/** Whichever of the candidates stands out most from the field. */
export function readableOn(field: string, candidates: readonly string[]): string {
  const sorted = [...candidates].sort((one, other) => contrast(other, field) - contrast(one, field));
  return sorted[0] ?? "#000000";
}

/** How warm a colour is: its red less its blue, -255 to 255. Crust and flames are warm, glass need not be. */
export function warmth(hex: string): number {
  const [red, , blue] = channels(hex);
  return red - blue;
}
