import "server-only";
import type { Ctx } from "#lib/context.ts";
import { addEntries, type Entry } from "./add-entries.ts";

/** {@link addEntries} of one. */
export const addEntry = (tx: Ctx, entry: Entry): Promise<void> => addEntries(tx, [entry]);
