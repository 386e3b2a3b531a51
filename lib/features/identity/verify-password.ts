import "server-only";
import { verify } from "@node-rs/argon2";
import { hashPassword } from "./hash-password.ts";
import { queueHashing } from "./queue-hashing.ts";

let decoy: Promise<string> | undefined;

/**
 * Whether a password fits a stored hash. Without a hash (no such user) the same work is done and the answer is no,
 * so that time does not tell who is registered (QUALITY §2, row 4).
 */
export const verifyPassword = async (password: string, stored: string | null): Promise<boolean> => {
  decoy ??= hashPassword("no such account");
  const against = stored ?? (await decoy);
  const fits = await queueHashing(() => verify(against, password.normalize("NFKC")));
  return stored !== null && fits;
};
