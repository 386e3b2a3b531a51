"use client";

import type { Paddle } from "@paddle/paddle-js";
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import type { CatalogueWire, CheckoutInput, CheckoutWire } from "#lib/features/billing/schema.ts";
import { loadCheckout, onCheckoutEvent } from "./load-checkout.ts";
import { type CheckoutOutcome, type Completion, openCheckout } from "./open-checkout.ts";

type CheckoutState = "loading" | "ready" | "failed";

export interface CheckoutHandle {
  state: CheckoutState;
  /** Null until it is loaded. */
  paddle: Paddle | null;
  /** Waits for it, and tries once more if it failed; null when it cannot be had. */
  ready: () => Promise<Paddle | null>;
  open: (paddle: Paddle, order: CheckoutWire) => Promise<CheckoutOutcome>;
  /** Aborted when the screen is left. */
  leaving: () => AbortSignal;
}

const wornTheme = (): "light" | "dark" => {
  const { classList } = document.documentElement;
  if (classList.contains("dark")) return "dark";
  return !classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
};

/** Loads the provider's checkout for a screen that sells; without settings nothing is loaded. */
export const useCheckout = (settings: CatalogueWire["checkout"] | null): CheckoutHandle => {
  const [paddle, setPaddle] = useState<Paddle | null>(null);
  const [state, setState] = useState<CheckoutState>("loading");
  const life = useRef<AbortController>(new AbortController());
  const wanted = useRef(settings);
  useEffect(() => {
    wanted.current = settings;
  }, [settings]);

  useEffect(() => {
    // React mounts twice in development.
    if (life.current.signal.aborted) life.current = new AbortController();
    const { current } = life;
    return () => current.abort();
  }, []);

  const ready = useCallback(async (): Promise<Paddle | null> => {
    if (!wanted.current) return null;
    try {
      const loaded = await loadCheckout(wanted.current);
      setPaddle(loaded);
      setState("ready");
      return loaded;
    } catch (error) {
      console.error("The checkout is not available", error);
      setState("failed");
      return null;
    }
  }, []);

  const hasSettings = settings !== null;
  useEffect(() => {
    if (hasSettings) void ready();
  }, [hasSettings, ready]);

  const open = useCallback(
    (loaded: Paddle, order: CheckoutWire) =>
      openCheckout(loaded, order, { theme: wornTheme(), listen: onCheckoutEvent, signal: life.current.signal }),
    [],
  );
  const leaving = useCallback(() => life.current.signal, []);
  return { state, paddle, ready, open, leaving };
};

interface PaymentOptions {
  checkout: CheckoutHandle;
  /** What the screen says: the checkout is not there; it could not begin or go on; the server did not confirm it. */
  texts: { notReady: string; failed: string; confirmFailed: string };
  /** Deals with a login that has ended and answers true; leaves every other error. */
  isSessionFailure: (error: unknown) => boolean;
}

/**
 * How a checkout ended whose payment the page cannot tell: `left` without a sign of one, `unsure` after one had begun or
 * when the server did not confirm it, `paid` and not settled yet.
 */
export type Unsettled = "left" | "unsure" | "paid";

interface PaymentSteps {
  /** Looks at what the server wrote down, before the overlay opens; false leaves it closed. */
  review?: (order: CheckoutWire) => boolean;
  /** Has the server confirm the payment and shows what came of it. */
  confirm: (completion: Completion, signal: AbortSignal) => Promise<void>;
  /** The overlay is gone, and it may have been paid in. */
  onUnsettled: (how: Unsettled) => void;
}

interface Payment {
  isProcessing: boolean;
  error: string | null;
  setError: (text: string | null) => void;
  /** Does nothing while another payment is under way. */
  pay: (input: CheckoutInput, steps: PaymentSteps) => Promise<void>;
}

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status >= 400 && error.status < 500;

/** One payment from the press to its end; whatever happens, the screen is ready for the next one (R-BUY-22). */
export const usePayment = ({ checkout, texts, isSessionFailure }: PaymentOptions): Payment => {
  const [isProcessing, setProcessing] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const isBusy = useRef(false);

  const run = async (input: CheckoutInput, { review, confirm, onUnsettled }: PaymentSteps): Promise<string | null> => {
    const paddle = await checkout.ready();
    if (!paddle) return texts.notReady;
    const order = await api.post<CheckoutWire>("/api/users/checkout/", input);
    if (review && !review(order)) return null;
    const outcome = await checkout.open(paddle, order);
    if (outcome.kind !== "completed") {
      onUnsettled(outcome.kind === "closed" || outcome.kind === "failed" ? "left" : "unsure");
      if (outcome.kind === "closed" || outcome.kind === "interrupted") return null;
      console.error("The checkout failed", outcome.detail);
      return outcome.kind === "failed" ? texts.failed : texts.confirmFailed;
    }
    try {
      await confirm(outcome.completion, checkout.leaving());
      return null;
    } catch (failure) {
      if (isSessionFailure(failure)) return null;
      onUnsettled("unsure");
      return texts.confirmFailed;
    }
  };

  const pay = async (input: CheckoutInput, steps: PaymentSteps): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    setError(null);
    setProcessing(true);
    try {
      setError(await run(input, steps));
    } catch (failure) {
      if (isSessionFailure(failure)) return;
      setError(isRefusal(failure) ? describeFailure(failure, texts.failed) : texts.failed);
    } finally {
      isBusy.current = false;
      setProcessing(false);
    }
  };

  return { isProcessing, error, setError, pay };
};
