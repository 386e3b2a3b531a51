import "server-only";
import { parse } from "bowser";
import { DEVICE_MAX, UNKNOWN_DEVICE } from "./constants.ts";

/** What a browser says of itself may be as long as it likes, and anything at all. */
const READ_MAX = 400;

const plain = (name: string | undefined): string => (name ?? "").replace(/[^\p{L}\p{N} .+-]/gu, "").trim();

/** What a login was opened with, for people: 'Firefox on Linux'. Nothing else of the browser's words is kept. */
export const nameDevice = (userAgent: string | null | undefined): string => {
  const words = (userAgent ?? "").slice(0, READ_MAX).trim();
  if (!words) return UNKNOWN_DEVICE;
  const { browser, os } = parse(words);
  // A program that is no browser names itself in front: `curl/8.5`.
  const name = plain(browser.name) || plain(/^[A-Za-z][\w.-]*(?=\/)/.exec(words)?.[0]);
  const system = plain(os.name);
  if (!name && !system) return UNKNOWN_DEVICE;
  return `${name || "Unknown browser"}${system ? ` on ${system}` : ""}`.slice(0, DEVICE_MAX);
};
