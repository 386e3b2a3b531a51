"use client";

import type { PaddleEventData } from "@paddle/paddle-js";
import { useEffect, useSyncExternalStore } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { editQuery } from "#lib/client/edit-query.ts";
import { readCompletion } from "./open-checkout.ts";

/** What a linked payment was for, as its checkout told: which confirmation is asked for first. */
type LinkedKind = "plan" | "credits";

export interface LinkedPayment {
  transactionId: string;
  kind: LinkedKind;
}

const PAGE = "/upgrade-success";
const [ID, OF] = ["transaction", "of"];

/** The page that has a linked payment confirmed and tells how it ended. */
const linkedPaymentPath = ({ transactionId, kind }: LinkedPayment): string =>
  `${PAGE}?${new URLSearchParams({ [ID]: transactionId, [OF]: kind })}`;

/** The payment that an address names; null for none. */
export const readLinkedPayment = (search: string): LinkedPayment | null => {
  const params = new URLSearchParams(search);
  const transactionId = params.get(ID);
  if (!transactionId || transactionId.length > 64) return null;
  return { transactionId, kind: params.get(OF) === "credits" ? "credits" : "plan" };
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
