"use client";

import { useCallback, useEffect, useState } from "react";
import { callAction } from "#lib/client/call-action.ts";
import { readBrandingAction } from "#lib/features/branding/actions.ts";
import type { BrandingWire } from "#lib/features/branding/schema.ts";

type Branding = { data: BrandingWire | null; problem: string | null; reload: () => void };

/** The kit of an account, and what stands on pins; read when it is asked for, null asks for nothing. */
export function useBranding(accountId: string | null, pinIds: readonly string[]): Branding {
  const [data, setData] = useState<BrandingWire | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const key = pinIds.join(" ");

  // biome-ignore lint/correctness/useExhaustiveDependencies: a round is another try
  useEffect(() => {
    if (!accountId) return;
    let isWanted = true;
    setData(null);
    setProblem(null);
    void callAction(readBrandingAction({ accountId, pinIds: key === "" ? [] : key.split(" ") })).then((answer) => {
      if (!isWanted) return;
      if (answer.ok) setData(answer.value);
      else setProblem(answer.text);
    });
    return () => {
      isWanted = false;
    };
  }, [accountId, key, round]);

  return { data, problem, reload: useCallback(() => setRound((before) => before + 1), []) };
}
