"use client";

import { useEffect } from "react";
import { buttonClass } from "#components/ui/button-style.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { editQuery } from "#lib/client/edit-query.ts";
import { googleFailureText } from "#lib/features/sign-in/policy.ts";

/** Google's letter in its colors. */
export function GoogleMark() {
  return (
    <svg aria-hidden="true" width="18" height="18" viewBox="0 0 24 24" fill="none" strokeWidth="4.4">
      <path stroke="#ea4335" d="M18.7 6.4A9 9 0 0 0 4.2 7.5" />
      <path stroke="#fbbc05" d="M4.2 7.5a9 9 0 0 0 0 9" />
      <path stroke="#34a853" d="M4.2 16.5a9 9 0 0 0 13.3 2.6" />
      <path stroke="#4285f4" d="M12.2 12H21a9 9 0 0 1-3.5 7.1" />
    </svg>
  );
}

/** Also shows why a sign-in with Google failed, as the redirect's `error` says. */
export function GoogleSignIn({ mayCreate = false }: { mayCreate?: boolean }) {
  const notice = useNotice();
  useEffect(
    () =>
      editQuery((search) => {
        const text = googleFailureText(search.get("error"));
        if (text === null) return;
        search.delete("error");
        notice.error(text);
      }),
    [notice],
  );
  return (
    <div className="mt-5 grid gap-5">
      <p className="flex items-center gap-3 text-xs text-ink-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </p>
      {/* Not a Link: it leads to another site. */}
      <a
        className={buttonClass({ size: "lg", className: "w-full" })}
        href={`/api/auth/google/${mayCreate ? "?create=1" : ""}`}
      >
        <GoogleMark />
        Continue with Google
      </a>
    </div>
  );
}
