"use client";

import type { Paddle } from "@paddle/paddle-js";
import { useCallback, useEffect, useRef, useState } from "react";
import type { CatalogueWire, CheckoutWire } from "#lib/features/billing/schema.ts";
import { loadCheckout, onCheckoutEvent } from "./load-checkout.ts";
import { type CheckoutOutcome, openCheckout } from "./open-checkout.ts";

export type CheckoutState = "loading" | "ready" | "failed";

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
  wanted.current = settings;

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
