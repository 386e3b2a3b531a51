/** A pin of the public pages: what it is called there, the keyword it was made from, and which try was kept. */
export type SitePin = { name: string; keyword: string; variant: number };

/** Every pin that hangs on a public page. Another variant of the same keyword is another picture. */
export const SITE_PINS: readonly SitePin[] = [
  { name: "bread", keyword: "winter baking", variant: 4 },
  { name: "herbs", keyword: "winter herbs", variant: 10 },
  { name: "wardrobe", keyword: "capsule wardrobe", variant: 0 },
  { name: "wreath", keyword: "evergreen wreaths", variant: 24 },
  { name: "ridge", keyword: "ridge walks", variant: 4 },
  { name: "balcony", keyword: "balcony plants", variant: 7 },
  { name: "swim", keyword: "cold water swimming", variant: 0 },
  { name: "pots", keyword: "pottery at home", variant: 1 },
  { name: "fir", keyword: "which fir to choose", variant: 10 },
  { name: "lisbon", keyword: "two days in Lisbon", variant: 0 },
  { name: "citrus", keyword: "citrus desserts", variant: 7 },
  { name: "read", keyword: "books for a slow week", variant: 15 },
  { name: "quilt", keyword: "your first quilt block", variant: 5 },
  { name: "eucalypt", keyword: "eucalyptus for dry rooms", variant: 5 },
  { name: "pasta", keyword: "pasta for a tired Tuesday", variant: 10 },
  { name: "dunes", keyword: "packing for the coast", variant: 2 },
  { name: "figs", keyword: "figs in season", variant: 5 },
  { name: "kitchen", keyword: "kitchen tile ideas", variant: 1 },
  { name: "meadow", keyword: "a meadow in one square metre", variant: 6 },
  { name: "night", keyword: "cabins under the stars", variant: 15 },
  { name: "bedroom", keyword: "the quiet bedroom", variant: 0 },
  { name: "paper", keyword: "paper snow", variant: 1 },
];
