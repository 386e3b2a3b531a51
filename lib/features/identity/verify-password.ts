import "server-only";
import { verify } from "@node-rs/argon2";
import { queueHashing } from "./queue-hashing.ts";

/** A hash as {@link hashPassword} makes them, of a password that nobody knows. */
const DECOY = "$argon2id$v=19$m=65536,t=3,p=4$HSVwme3KaMczMXD+aalccA$Qk3zA6y63lEScMKCy05rPFSd6L+ax7UKoFMuINguJGU";

/**
 * Whether a password fits a stored hash. Without a hash (no such user) the same work is done and the answer is no,
 * so that time does not tell who is registered (QUALITY §2, row 4).
 */
export const verifyPassword = async (password: string, stored: string | null): Promise<boolean> => {
  const fits = await queueHashing(() => verify(stored ?? DECOY, password.normalize("NFKC")));
  return stored !== null && fits;
};
