import type { OwnPinsWire } from "#lib/features/keywords/schema.ts";
import { ownPinsText } from "./keyword-texts.ts";

/** What an account's pins did with the keyword above; nothing where no account was asked about. */
export function OwnPins({ own }: { own: OwnPinsWire | null | undefined }) {
  if (own === undefined) return null;
  return (
    <p className="pl-[1.875rem] text-xs/[1.35] text-ink-3 num">
      <span className="sr-only">Your pins: </span>
      {ownPinsText(own)}
    </p>
  );
}
