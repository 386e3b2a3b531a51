/** Decorative pins beside the two password reset pages. */
export const RESET_PINS = [
  [
    { poster: "dunes", x: -18, y: 84, width: 214 },
    { poster: "pots", x: 240, y: 150, width: 222 },
    { poster: "kitchen", x: 506, y: 72, width: 214 },
  ],
  [
    { poster: "eucalypt", x: -64, y: 520, width: 214 },
    { poster: "pasta", x: 194, y: 600, width: 214 },
    { poster: "wardrobe", x: 452, y: 512, width: 222 },
  ],
] as const;
