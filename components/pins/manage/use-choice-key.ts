"use client";

import { useRef } from "react";
import { randomKey } from "#lib/client/random-key.ts";

/** The keys under which choices are sent. */
export interface ChoiceKey {
  /** The same choice has the same key until it was answered: the answer may have been lost, and nothing is made twice. */
  keyOf: (...choice: unknown[]) => string;
  /** From now on the same choice is a new one. */
  forget: () => void;
}

/** An idempotency key for each choice that is sent, until `forget`. */
export const useChoiceKey = (): ChoiceKey => {
  const unanswered = useRef<{ choice: string; key: string } | null>(null);
  const keyOf: ChoiceKey["keyOf"] = (...choice) => {
    const text = JSON.stringify(choice);
    if (unanswered.current?.choice !== text) unanswered.current = { choice: text, key: randomKey() };
    return unanswered.current.key;
  };
  const forget = () => {
    unanswered.current = null;
  };
  return { keyOf, forget };
};
