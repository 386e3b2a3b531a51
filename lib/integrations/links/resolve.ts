import { promises as dns } from "node:dns";

/** What a name stands for. `offline`: no name server answers us, not even for the root of all names. */
export type Resolution = { kind: "found"; addresses: string[] } | { kind: "no_host" | "silent" | "offline" };

export type Resolve = (host: string) => Promise<Resolution>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/** Answers that say that a name, or an address for it, does not or cannot exist; others say that nobody could be asked. */
const ABSENT = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/**
 * Asks name servers for both families, and not the system's `getaddrinfo`: that reads files of this machine, and a slow
 * name would hold one of the few threads that everything else needs too. `servers`: others than the machine's own, if any.
 */
export const createResolve = (servers: readonly string[]): Resolve => {
  const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  // Without a way out some name servers say of every name that it does not exist; the root always has its own.
  const seesRoot = (): Promise<boolean> =>
    resolver.resolveNs(".").then(
      (names) => names.length > 0,
      () => false,
    );
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (addresses.length > 0) return { kind: "found", addresses };
    if (!(await seesRoot())) return { kind: "offline" };
    const isAbsent = answers.every((answer) => answer.status === "rejected" && ABSENT.has(codeOf(answer.reason)));
    return { kind: isAbsent ? "no_host" : "silent" };
  };
};
