"use client";

import { useEffect, useState } from "react";
import { restoreTypedText, takeTypedText } from "#lib/client/typed-text.ts";

const SHOWN_MS = 10_000;

/** After a reload that an update of the site caused: says so, and puts back what was typed. */
export function AfterUpdate() {
  // Null: nothing to say. Screen readers ignore a live region that appears together with its text, so it starts empty.
  const [text, setText] = useState<string | null>(null);

  useEffect(() => {
    const typed = takeTypedText();
    if (!typed) return;
    const kept = typed.length > 0 ? "What you typed is still here. " : "";
    const message = `We updated the site, so this page was reloaded. ${kept}Please try again.`;
    setText("");
    const timers = [setTimeout(() => setText(message), 100), setTimeout(() => setText(null), SHOWN_MS)];
    const endRestoring = restoreTypedText(typed);
    return () => {
      for (const timer of timers) clearTimeout(timer);
      endRestoring();
    };
  }, []);

  if (text === null) return null;
  return (
    <div role="status" className="pointer-events-none fixed inset-x-4 bottom-6 z-(--z-toast) grid justify-items-center">
      {text && <p className="rounded-[11px] bg-band px-4 py-3 text-sm font-medium text-band-ink shadow-bar">{text}</p>}
    </div>
  );
}
