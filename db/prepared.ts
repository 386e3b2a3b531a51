import type { Database, Transaction } from "./client.ts";

/**
 * A statement that is put together once for each database handle, not once for each call: for the few that every
 * request needs. `build` calls `.prepare(name)`; a transaction builds it anew.
 */
export const preparedOnce = <Q>(build: (db: Database | Transaction) => Q): ((db: Database | Transaction) => Q) => {
  const kept = new WeakMap<Database | Transaction, Q>();
  return (db) => {
    const known = kept.get(db);
    if (known !== undefined) return known;
    const built = build(db);
    kept.set(db, built);
    return built;
  };
};
