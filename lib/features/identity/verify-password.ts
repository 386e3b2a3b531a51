import "server-only";
import { verify } from "@node-rs/argon2";
import { hashPassword } from "./hash-password.ts";

const MAX_AT_ONCE = 2;
let running = 0;
const waiting: (() => void)[] = [];
let decoy: Promise<string> | undefined;

const enter = async (): Promise<void> => {
  if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
};

const leave = (): void => {
  running--;
  waiting.shift()?.();
};

/**
 * Whether a password fits a stored hash. Without a hash (no such user) the same work is done and the answer is no,
 * so that time does not tell who is registered (QUALITY §2, row 4). At most two run at once.
 */
export const verifyPassword = async (password: string, stored: string | null): Promise<boolean> => {
  await enter();
  try {
    decoy ??= hashPassword("no such account");
    const fits = await verify(stored ?? (await decoy), password.normalize("NFKC"));
    return stored !== null && fits;
  } finally {
    leave();
  }
};
