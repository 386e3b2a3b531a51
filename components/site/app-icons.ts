/** Icons of the web manifest, served under `/icons/`. */
export const APP_ICONS = [
  { name: "app-192.png", sizePx: 192, purpose: "any" },
  { name: "app-512.png", sizePx: 512, purpose: "any" },
  { name: "app-maskable-512.png", sizePx: 512, purpose: "maskable" },
] as const;
