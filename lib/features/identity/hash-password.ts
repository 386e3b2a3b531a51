import "server-only";
import { hash } from "@node-rs/argon2";
import { queueHashing } from "./queue-hashing.ts";

/** Argon2id (the package's default) of a password: 64 MiB, three passes, four lanes (D7). About 84 ms of one core. */
export const hashPassword = (password: string): Promise<string> =>
  queueHashing(() => hash(password.normalize("NFKC"), { memoryCost: 65_536, timeCost: 3, parallelism: 4 }));
