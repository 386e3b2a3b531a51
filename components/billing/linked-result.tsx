"use client";

import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { ApiError, describeFailure } from "#lib/client/api.ts";
import { getToken } from "#lib/client/stored-token.ts";
import { PRICING_TEXTS } from "#lib/features/billing/constants.ts";
import { confirmLinked, type LinkedResult, readLinkedPayment } from "./linked-payment.ts";
import { tellPlanNews } from "./plan-news.ts";

type State = { kind: "asking" } | { kind: "known"; result: LinkedResult } | { kind: "failed"; text: string } | null;

const never = () => () => {};
const readSearch = (): string => location.search;

const statusOf = (error: unknown): number => (error instanceof ApiError ? error.status : 0);

/**
 * How a payment ended that was made by a payment link: the server is asked, as after every other checkout, and what
 * it says is shown. Without one in the address, or for somebody else's, the page says what it can without knowing.
 */
export function LinkedPaymentResult({ children }: { children: ReactNode }) {
  const search = useSyncExternalStore(never, readSearch, () => "");
  const [state, setState] = useState<State>(null);
  useEffect(() => {
    const payment = readLinkedPayment(search);
    if (!payment || getToken() === null) return;
    const life = new AbortController();
    setState({ kind: "asking" });
    confirmLinked(payment, life.signal).then(
      (result) => {
        if (life.signal.aborted) return;
        setState({ kind: "known", result });
        if (result.subscription) tellPlanNews(result.subscription);
      },
      (error: unknown) => {
        if (life.signal.aborted) return;
        const isUnknown = [401, 404].includes(statusOf(error));
        setState(isUnknown ? null : { kind: "failed", text: describeFailure(error, PRICING_TEXTS.confirmFailed) });
      },
    );
    return () => life.abort();
  }, [search]);

  if (state === null) return <Banner tone="success">{children}</Banner>;
  if (state.kind === "asking") {
    return (
      <Banner isAnnounced>
        <span className="flex items-center gap-3">
          <Spinner />
          You have paid. Looking what came of it …
        </span>
      </Banner>
    );
  }
  const isGood = state.kind === "known";
  return (
    <Banner tone={isGood ? (state.result.isPending ? "plain" : "success") : "failed"} isAnnounced>
      {isGood ? state.result.text : state.text}
    </Banner>
  );
}
