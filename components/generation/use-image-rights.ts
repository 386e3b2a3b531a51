"use client";

import { useState } from "react";
import { useNotice } from "#components/ui/notice.tsx";
import { callAction } from "#lib/client/api.ts";
import { confirmImageRightsAction } from "#lib/features/sites/actions.ts";
import { siteOf } from "#lib/features/sites/policy.ts";
import { type KeywordField, toKeywordData } from "./use-creator.ts";

export interface ImageRights {
  /** Sites whose images are chosen, and that the user hasn't confirmed yet. */
  missingSites: readonly string[];
  isGiven: boolean;
  isComplete: boolean;
  setGiven: (isGiven: boolean) => void;
  /** Stores the word that was given. @returns whether the batch may start */
  confirm: () => Promise<boolean>;
}

/** Asks once per site for the right to use its images. @param known sites that were confirmed before */
export const useImageRights = (known: readonly string[], rows: readonly KeywordField[]): ImageRights => {
  const notice = useNotice();
  const [confirmed, setConfirmed] = useState<readonly string[]>(known);
  // The word counts only for the sites that were shown with it.
  const [given, setGiven] = useState("");
  const urls = toKeywordData(rows).flatMap(({ url, image }) => (image === "page" && url !== null ? [url] : []));
  const missing = urls.filter((url) => siteOf(url) !== "" && !confirmed.includes(siteOf(url)));
  const missingSites = [...new Set(missing.map(siteOf))];
  const missingKey = missingSites.join();
  const isGiven = missingKey !== "" && given === missingKey;
  return {
    missingSites,
    isGiven,
    isComplete: missingKey === "" || isGiven,
    setGiven: (isNow) => setGiven(isNow ? missingKey : ""),
    confirm: async () => {
      if (missingKey === "") return true;
      const answer = await callAction(confirmImageRightsAction({ urls: missing }));
      if (answer.ok) setConfirmed(answer.value);
      else notice.error(answer.text);
      return answer.ok;
    },
  };
};
