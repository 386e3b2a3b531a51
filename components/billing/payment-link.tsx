"use client";

import type { PaddleEventData } from "@paddle/paddle-js";
import { useEffect, useSyncExternalStore } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { editQuery } from "#lib/client/edit-query.ts";
import { noSubscription } from "#lib/client/no-subscription.ts";
import { readCompletion } from "./open-checkout.ts";

/** What a linked payment was for; decides which confirmation is tried first. */
type LinkedKind = "plan" | "credits";

export interface LinkedPayment {
  transactionId: string;
  kind: LinkedKind;
}

const PAGE = "/upgrade-success";
const [ID, OF] = ["transaction", "of"];

/** The page that confirms a linked payment and shows the result. */
const linkedPaymentPath = ({ transactionId, kind }: LinkedPayment): string =>
  `${PAGE}?${new URLSearchParams({ [ID]: transactionId, [OF]: kind })}`;

/** The payment named in a URL's query; null without one. */
export const readLinkedPayment = (search: string): LinkedPayment | null => {
  const params = new URLSearchParams(search);
  const transactionId = params.get(ID);
  if (!transactionId || transactionId.length > 64) return null;
  return { transactionId, kind: params.get(OF) === "credits" ? "credits" : "plan" };
};

/** The query parameter of the provider's payment links. Its script opens that checkout by itself. */
const PARAMETER = "_ptxn";

const readLink = (): string | null => new URLSearchParams(location.search).get(PARAMETER);

/** Removes the transaction from the URL so that a reload does not open its checkout again. */
const clearLink = (): void => {
  editQuery((search) => search.delete(PARAMETER));
};

/** The next page confirms the payment. A total of zero means that the card was changed. */
const nextPage = (data: PaddleEventData["data"]): string => {
  if (data?.totals?.total === 0) return "/app/settings#plan";
  const completion = readCompletion(data);
  if (!completion) return "/upgrade-success";
  const { transactionId, credits } = completion;
  return linkedPaymentPath({ transactionId, kind: credits === null ? "plan" : "credits" });
};

/** Handles the end of the linked checkout; returns false while it continues. */
const applyCheckoutEvent = ({ name, data }: PaddleEventData): boolean => {
  if (name === "checkout.closed") clearLink();
  else if (name === "checkout.error") location.replace("/upgrade-error");
  else if (name === "checkout.completed") location.replace(nextPage(data));
  else return false;
  return true;
};

/** Listens for the end of this transaction's checkout and ignores others on the page. */
const listenForCheckout = async (transactionId: string, signal: AbortSignal): Promise<void> => {
  const { onCheckoutEvent } = await import("./load-checkout.ts");
  if (signal.aborted) return;
  const stop = onCheckoutEvent((event) => {
    const id = event.data?.transaction_id;
    if ((id === undefined || id === transactionId) && applyCheckoutEvent(event)) stop();
  });
  signal.addEventListener("abort", stop);
};

/**
 * Handles the provider's payment links: asks visitors to sign in and return, and leads to the result page after the
 * checkout. Renders nothing without a link.
 */
export function PaymentLink() {
  const transactionId = useSyncExternalStore(noSubscription, readLink, () => null);
  useEffect(() => {
    if (transactionId === null) return;
    const controller = new AbortController();
    listenForCheckout(transactionId, controller.signal).catch((error: unknown) => {
      console.error("Could not watch the linked payment", error);
    });
    return () => controller.abort();
  }, [transactionId]);
  if (transactionId === null) return null;
  const currentPath = `${location.pathname}${location.search}`;
  return (
    <div data-slot="pricing-result" className="session-none site-width pt-2">
      <Banner
        isAnnounced
        action={
          <LinkButton href={`/login?next=${encodeURIComponent(currentPath)}`} size="sm">
            Sign in
          </LinkButton>
        }
      >
        <b>You have a payment to complete.</b> Sign in to open the checkout.
      </Banner>
    </div>
  );
}
