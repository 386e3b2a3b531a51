const VERSION_4 = 0x40;
const VARIANT = 0x80;

/** Returns a random UUID. Browsers offer `crypto.randomUUID` only on HTTPS pages. */
export const randomKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = VERSION_4 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = VARIANT | ((bytes[8] ?? 0) & 0x3f);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};
