"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { getToken, onTokenChange } from "#lib/client/browser-storage.ts";
import { joinLive } from "#lib/client/event-stream.ts";
import { createEventWriter } from "#lib/client/live-cache.ts";
import type { LiveNews } from "#lib/features/realtime/schema.ts";

/**
 * Connects the signed-in area to the live stream, for as long as there is a stored token. It begins where the server
 * stood when it painted the page, so that nothing falls between the two. What it tells is written into the cache.
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
      // Another login knows nothing of where this one was.
      const after = token === null ? first.current : null;
      token = getToken();
      setState(token === null ? "off" : "waiting");
      if (token === null) return;
      const onNews = (news: LiveNews) => {
        setState("open");
        write(news);
      };
      leave = joinLive({ after, onNews }, token);
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
