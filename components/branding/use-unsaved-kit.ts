import { useEffect, useState } from "react";
import { getToken, onTokenChange } from "#lib/client/stored-token.ts";
import type { KitWire } from "#lib/features/branding/schema.ts";

type Choice = Pick<KitWire, "colours" | "font_pairing">;

/** What was chosen and not saved, by account: kept while the product is open, whichever screen is shown. */
const unsaved = new Map<string, Choice>();
let isHearing = false;

/** Keeps a choice until it is saved, or until the login ends in this tab or another. */
const keep = (accountId: string, choice: Choice): void => {
  unsaved.set(accountId, choice);
  if (isHearing) return;
  isHearing = true;
  // For as long as the page lives: whoever logs out does so on any screen.
  onTokenChange(() => {
    if (getToken() === null) unsaved.clear();
  });
};

const isSame = (one: Choice, other: Choice): boolean =>
  JSON.stringify([one.colours, one.font_pairing]) === JSON.stringify([other.colours, other.font_pairing]);

/** Asks before the page is left for good. */
const ask = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Colours and fonts as chosen for an account, beside those that are saved: no way out of the screen forgets them. */
export const useUnsavedKit = (saved: KitWire) => {
  const [choice, setChoice] = useState<Choice>(() => unsaved.get(saved.account_id) ?? saved);
  const isSaved = isSame(choice, saved);
  useEffect(() => {
    if (isSaved) unsaved.delete(saved.account_id);
    else keep(saved.account_id, choice);
  }, [choice, isSaved, saved.account_id]);
  useEffect(() => {
    if (isSaved) return;
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isSaved]);
  return {
    colours: choice.colours,
    fontPairing: choice.font_pairing,
    isSaved,
    setColours: (colours: Choice["colours"]) => setChoice((before) => ({ ...before, colours })),
    setFontPairing: (font_pairing: Choice["font_pairing"]) => setChoice((before) => ({ ...before, font_pairing })),
  };
};
