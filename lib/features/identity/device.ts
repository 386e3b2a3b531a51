import "server-only";
import { parse } from "bowser";
import { DEVICE_MAX, UNKNOWN_DEVICE } from "./constants.ts";

const USER_AGENT_MAX = 400;

const plain = (name: string | undefined): string => (name ?? "").replace(/[^\p{L}\p{N} .+-]/gu, "").trim();

export const deviceName = (userAgent: string | null | undefined): string => {
  const header = (userAgent ?? "").slice(0, USER_AGENT_MAX).trim();
  if (!header) return UNKNOWN_DEVICE;
  const { browser, os } = parse(header);
  // Programs that are not browsers put their name first, as in `curl/8.5`.
  const name = plain(browser.name) || plain(/^[A-Za-z][\w.-]*(?=\/)/.exec(header)?.[0]);
  const system = plain(os.name);
  if (!name && !system) return UNKNOWN_DEVICE;
  return `${name || "Unknown browser"}${system ? ` on ${system}` : ""}`.slice(0, DEVICE_MAX);
};
