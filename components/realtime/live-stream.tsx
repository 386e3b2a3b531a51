"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { getToken, onTokenChange } from "#lib/client/browser-storage.ts";
import { joinLiveStream } from "#lib/client/event-stream.ts";
import { createEventWriter } from "#lib/client/live-cache.ts";
import type { LiveEvent } from "#lib/features/realtime/schema.ts";

/**
 * Connects the app to the live stream while an access token is stored, and writes its events into the query cache. It
 * starts from the position at which the server rendered the page, so that no event is missed.
 */
export function LiveStream({ position }: { position: number }) {
  const [state, setState] = useState<"off" | "waiting" | "open">("off");
  const first = useRef(position);
  const client = useQueryClient();

  useEffect(() => {
    const write = createEventWriter(client);
    let token: string | null = null;
    let leave = () => {};
    const follow = () => {
      if (getToken() === token) return;
      leave();
      leave = () => {};
      // A new login starts at the present.
      const after = token === null ? first.current : null;
      token = getToken();
      setState(token === null ? "off" : "waiting");
      if (token === null) return;
      const onEvent = (event: LiveEvent) => {
        setState("open");
        write(event);
      };
      leave = joinLiveStream({ after, onEvent }, token);
    };
    follow();
    const stop = onTokenChange(follow);
    return () => {
      stop();
      leave();
    };
  }, [client]);

  return <span hidden data-testid="live" data-live={state} />;
}
