"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { isExchangePaused } from "#components/identity/exchange-pause.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { editQuery } from "#lib/client/edit-query.ts";
import { getToken } from "#lib/client/stored-token.ts";

const SUCCESS_MAX = 200;

/** The plain text of the `success` parameter, bounded, without control characters; '' when there is none. */
function successTextOf(search: URLSearchParams): string {
  const raw = search.get("success") ?? "";
  return raw
    .replace(/[\p{Cc}\p{Cf}]/gu, " ")
    .trim()
    .slice(0, SUCCESS_MAX);
}

/**
 * What /login does by itself: shows a `success` text once (R-LOGIN-08), and exchanges a stored token for the session
 * cookie, then goes on to the remembered path (DESIGN §7). A dead token is removed, so nothing goes round in circles.
 *
 * @returns whether an exchange is under way
 */
export function useLoginGate(): boolean {
  const [isContinuing, setIsContinuing] = useState(false);
  const router = useRouter();
  const notice = useNotice();

  useEffect(
    () =>
      editQuery((search) => {
        const text = successTextOf(search);
        search.delete("success");
        if (text) notice.success(text);
      }),
    [notice],
  );

  useEffect(() => {
    if (getToken() === null || isExchangePaused()) return;
    const controller = new AbortController();
    setIsContinuing(true);
    import("#components/identity/login-calls.ts")
      .then(async ({ exchangeToken, takeRememberedPath }) => {
        await exchangeToken(controller.signal);
        router.replace(takeRememberedPath());
      })
      // The form is left, which works without the exchange.
      .catch(() => controller.signal.aborted || setIsContinuing(false));
    return () => controller.abort();
  }, [router]);

  return isContinuing;
}
