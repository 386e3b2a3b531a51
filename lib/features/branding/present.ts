import "server-only";
import { IMAGE_PATH } from "#lib/features/pins/constants.ts";
import type { findTemplated, Kit } from "./queries.ts";
import { type KitWire, type TemplatedPinWire, templateChoice } from "./schema.ts";

export const toKitWire = (accountId: string, { colours, fontPairing, logoKey }: Kit): KitWire => ({
  account_id: accountId,
  colours,
  font_pairing: fontPairing,
  logo_url: logoKey === null ? null : `${IMAGE_PATH}${logoKey}`,
});

type Templated = Awaited<ReturnType<typeof findTemplated>>[number];

/** A choice that a later version no longer knows is none. */
export const toTemplatedPins = (rows: readonly Templated[]): TemplatedPinWire[] =>
  rows.flatMap(({ status, template, ...pin }) =>
    status === "deleted" ? [] : [{ ...pin, status, template: templateChoice.safeParse(template).data ?? null }],
  );
