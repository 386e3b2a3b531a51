import { describe, expect, test } from "vitest";
import { createTokenCache } from "#lib/server/auth.ts";

type Claims = NonNullable<Awaited<ReturnType<ReturnType<typeof createTokenCache>["read"]>>>;

/** A token cache with a manual clock, and the number of decryptions. */
const cacheAt = (atMs: number) => {
  const clock = { ms: atMs };
  const cache = createTokenCache(() => clock.ms);
  let decryptions = 0;
  const read = (name: string, claims: Claims | null) =>
    cache.read(name, async () => {
      decryptions += 1;
      return claims;
    });
  return { clock, cache, read, decryptions: () => decryptions };
};

describe("token claims are cached", () => {
  const claims = { loginId: "lgn_1", version: 0, accessVersion: 0, expiresAt: 10_000 };

  test("R-SRV-09 a valid token is decrypted once a minute, per kind", async () => {
    const { clock, read, decryptions } = cacheAt(0);
    for (const name of ["access x", "access x", "session x"]) expect(await read(name, claims)).toEqual(claims);
    expect(decryptions()).toBe(2);
    clock.ms += 59_000;
    await read("access x", claims);
    expect(decryptions()).toBe(2);
    clock.ms += 2_000;
    await read("access x", claims);
    expect(decryptions()).toBe(3);
  });

  test("R-SRV-09 an expired token is checked again within the minute", async () => {
    const { clock, read } = cacheAt(9_999_000);
    expect(await read("access x", claims)).toEqual(claims);
    clock.ms = 10_000_000;
    expect(await read("access x", null)).toBeNull();
  });

  test("R-SRV-09 invalid tokens are not cached", async () => {
    const { read, decryptions, cache } = cacheAt(0);
    expect(await read("access forged", null)).toBeNull();
    expect(await read("access forged", null)).toBeNull();
    expect([decryptions(), cache.size()]).toEqual([2, 0]);
  });

  test("R-SRV-09 the cache is bounded", async () => {
    const { read, cache } = cacheAt(0);
    for (let index = 0; index < 12_000; index++) await read(`access ${index}`, claims);
    expect(cache.size()).toBeLessThanOrEqual(5_000);
  });
});
