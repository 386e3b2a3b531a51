"use client";

import type { PaddleEventData } from "@paddle/paddle-js";
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import { getToken } from "#lib/client/browser-storage.ts";
import { editQuery } from "#lib/client/edit-query.ts";
import { PRICING_TEXTS, purchasedText, upgradedText } from "#lib/features/billing/constants.ts";
import { PLANS } from "#lib/features/billing/plans.ts";
import type { PurchaseWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import { confirmPayment } from "./confirm-payment.ts";
import { readCompletion } from "./open-checkout.ts";
import { tellPlanNews } from "./plan-state.ts";

/** What a linked payment was for, as its checkout told: which confirmation is asked for first. */
type LinkedKind = "plan" | "credits";

interface LinkedPayment {
  transactionId: string;
  kind: LinkedKind;
}

/** How it ended, for people; `subscription` where it is known now. */
interface LinkedResult {
  isPending: boolean;
  text: string;
  subscription: SubscriptionWire | null;
}

const PAGE = "/upgrade-success";
const [ID, OF] = ["transaction", "of"];

/** The page that has a linked payment confirmed and tells how it ended. */
const linkedPaymentPath = ({ transactionId, kind }: LinkedPayment): string =>
  `${PAGE}?${new URLSearchParams({ [ID]: transactionId, [OF]: kind })}`;

/** The payment that an address names; null for none. */
const readLinkedPayment = (search: string): LinkedPayment | null => {
  const params = new URLSearchParams(search);
  const transactionId = params.get(ID);
  if (!transactionId || transactionId.length > 64) return null;
  return { transactionId, kind: params.get(OF) === "credits" ? "credits" : "plan" };
};

const PENDING = "Your payment went through. What you bought is here by itself as soon as it has settled.";

const confirmPlan = async (transactionId: string, signal: AbortSignal): Promise<LinkedResult> => {
  const subscription = await confirmPayment(
    () => api.post<SubscriptionWire>("/api/users/subscription/confirm/", { transactionId }),
    { isPending: ({ confirmation }) => confirmation === "pending", signal },
  );
  const isPending = subscription.confirmation === "pending";
  const text = isPending ? PENDING : upgradedText(PLANS[subscription.plan.slug].name);
  return { isPending, text, subscription };
};

const confirmCredits = async (transactionId: string, signal: AbortSignal): Promise<LinkedResult> => {
  const answer = await confirmPayment(() => api.post<PurchaseWire>("/api/users/credits/purchase/", { transactionId }), {
    isPending: ({ status }) => status === "pending",
    signal,
  });
  return {
    isPending: !answer.success,
    text: answer.success ? purchasedText(answer.credits) : PENDING,
    subscription: null,
  };
};

const CONFIRM = { plan: confirmPlan, credits: confirmCredits } as const;

/**
 * Has the server confirm a payment that was made by a payment link, as after every other checkout (R-BUY-19, R-PRICE-13).
 * A checkout that support prepared may not say what it is for: a refusal is followed by the other question.
 * @throws what the first call throws
 */
const confirmLinked = async ({ transactionId, kind }: LinkedPayment, signal: AbortSignal): Promise<LinkedResult> => {
  try {
    return await CONFIRM[kind](transactionId, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    const other = kind === "plan" ? "credits" : "plan";
    return CONFIRM[other](transactionId, signal).catch(() => {
      throw error;
    });
  }
};

/** The provider's name for the transaction in its payment links; its script opens that checkout by itself. */
const PARAMETER = "_ptxn";

const never = () => () => {};
const readLink = (): string | null => new URLSearchParams(location.search).get(PARAMETER);

/** Takes the transaction out of the address, so that loading the page again does not open its checkout again. */
const forgetLink = (): void => {
  editQuery((search) => search.delete(PARAMETER));
};

/** What was paid is confirmed and told by the page that comes next; what costs nothing changed a card. */
const nextPage = (data: PaddleEventData["data"]): string => {
  if (data?.totals?.total === 0) return "/app/settings#plan";
  const completion = readCompletion(data);
  if (!completion) return "/upgrade-success";
  const { transactionId, credits } = completion;
  return linkedPaymentPath({ transactionId, kind: credits === null ? "plan" : "credits" });
};

/** Goes on when the linked checkout has ended; false while it goes on. */
const goOn = ({ name, data }: PaddleEventData): boolean => {
  if (name === "checkout.closed") forgetLink();
  else if (name === "checkout.error") location.replace("/upgrade-error");
  else if (name === "checkout.completed") location.replace(nextPage(data));
  else return false;
  return true;
};

/** Hears how the checkout of this transaction ends; those that the page opens have other ones. */
const hearLink = async (transactionId: string, signal: AbortSignal): Promise<void> => {
  const { onCheckoutEvent } = await import("./load-checkout.ts");
  if (signal.aborted) return;
  const stop = onCheckoutEvent((event) => {
    const id = event.data?.transaction_id;
    if ((id === undefined || id === transactionId) && goOn(event)) stop();
  });
  signal.addEventListener("abort", stop);
};

/**
 * What a payment link of the provider needs beside its checkout: a visitor is told to sign in, and comes back to it;
 * whoever has paid or given up is led to the page that says so (A-04, R-ROUTE-15). Without a link it is nothing.
 */
export function PaymentLink() {
  const transactionId = useSyncExternalStore(never, readLink, () => null);
  useEffect(() => {
    if (transactionId === null) return;
    const life = new AbortController();
    hearLink(transactionId, life.signal).catch((error: unknown) => {
      console.error("The linked payment is not listened to", error);
    });
    return () => life.abort();
  }, [transactionId]);
  if (transactionId === null) return null;
  const here = `${location.pathname}${location.search}`;
  return (
    <div data-slot="pricing-result" className="session-none site-width pt-2">
      <Banner
        isAnnounced
        action={
          <LinkButton href={`/login?next=${encodeURIComponent(here)}`} size="sm">
            Sign in
          </LinkButton>
        }
      >
        <b>A payment waits for you.</b> Sign in, and its checkout opens here.
      </Banner>
    </div>
  );
}

type State = { kind: "asking" } | { kind: "known"; result: LinkedResult } | { kind: "failed"; text: string } | null;

const neverPaid = () => () => {};
const readSearch = (): string => location.search;

const statusOf = (error: unknown): number => (error instanceof ApiError ? error.status : 0);

/**
 * How a payment ended that was made by a payment link: the server is asked, as after every other checkout, and what
 * it says is shown. Without one in the address, or for somebody else's, the page says what it can without knowing.
 */
export function LinkedPaymentResult({ children }: { children: ReactNode }) {
  const search = useSyncExternalStore(neverPaid, readSearch, () => "");
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
