"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { callAction } from "#lib/client/call-action.ts";
import { useStream } from "#lib/client/use-stream.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { findLostAccountsAction } from "#lib/features/publishing/actions.ts";
import type { LostAccountWire } from "#lib/features/publishing/schema.ts";

/** Many things happen at once when a batch is scheduled: asked once for all of them. */
const GATHER_MS = SECOND_MS;

/** The accounts that must be connected again: as painted, then asked for again whenever the live stream tells of one. */
export const useLostAccounts = (initial: readonly LostAccountWire[]): readonly LostAccountWire[] => {
  const [accounts, setAccounts] = useState(initial);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);

  const askSoon = useCallback(() => {
    timer.current ??= setTimeout(async () => {
      timer.current = null;
      const answer = await callAction(findLostAccountsAction({}));
      // Without an answer what is shown stays: the next news, or the next page, asks again.
      if (answer.ok) setAccounts(answer.value);
    }, GATHER_MS);
  }, []);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);

  useStream((news) => {
    if (news.kind === "account" || news.kind === "reset") askSoon();
    // How many pins wait matters only where some do.
    else if (accounts.length > 0 && (news.kind === "post" || news.kind === "post_removed")) askSoon();
  });
  return accounts;
};
