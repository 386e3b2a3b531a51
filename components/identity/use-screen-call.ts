"use client";

import { useEffect } from "react";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import { ApiError } from "#lib/client/api.ts";
import { type CallState, useCall } from "#lib/client/use-call.ts";

/** A screen's documented call. A 401 ends the session as the auth check does and is not the screen's to tell (R-AUTH-04). */
export const useScreenCall = <T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>): CallState<T> => {
  const { isSessionFailure } = useSessionEnd();
  const call = useCall(key, ask);
  const { error } = call;
  useEffect(() => {
    if (error !== null) isSessionFailure(error);
  }, [error, isSessionFailure]);
  return error instanceof ApiError && error.status === 401 ? { ...call, error: null } : call;
};
