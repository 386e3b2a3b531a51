"use client";

import { useState, useSyncExternalStore } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { forgetKeywords, keptKeywords } from "#lib/client/kept-keywords.ts";
import { creatorAddress, keywordsOf } from "#lib/core/creator-address.ts";
import { KEYWORD_MAX, KEYWORDS_MAX } from "#lib/features/generation/constants.ts";

const nothingChanges = () => () => {};

/** The words of the kept query; whoever sits at this browser may have written it. */
const wordsOf = (kept: string): string[] =>
  keywordsOf({ keyword: new URLSearchParams(kept).getAll("keyword") }, { count: KEYWORDS_MAX, length: KEYWORD_MAX });

type WaitingKeywordsProps = { isConnected: boolean; creatorPath: string };

/**
 * Keywords of a saved video that wait until an account is there for their pins. Known to this tab alone, so it stands
 * below what the server painted and moves nothing.
 */
export function WaitingKeywords({ isConnected, creatorPath }: WaitingKeywordsProps) {
  const kept = useSyncExternalStore(nothingChanges, keptKeywords, () => null);
  const [isGivenUp, setGivenUp] = useState(false);
  const words = kept === null || isGivenUp ? [] : wordsOf(kept);
  if (words.length === 0) return null;
  const giveUp = () => {
    forgetKeywords();
    setGivenUp(true);
  };
  const said = words.map((word) => `“${word}”`).join(", ");
  return (
    <Banner
      action={
        <div className="flex flex-wrap gap-2">
          <Button size="sm" variant="quiet" onClick={giveUp}>
            Forget them
          </Button>
          {isConnected && (
            <LinkButton size="sm" href={creatorAddress(creatorPath, words)} onClick={forgetKeywords}>
              Open the creator
            </LinkButton>
          )}
        </div>
      }
    >
      {isConnected ? "Your keywords are ready to become pins:" : "Your keywords wait until an account is connected:"}{" "}
      {said}
    </Banner>
  );
}
