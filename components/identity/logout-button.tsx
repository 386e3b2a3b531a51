"use client";

import LogOut from "lucide-react/icons/log-out";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { RAIL_WORDS } from "#components/shared/rail.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { api } from "#lib/client/api.ts";
import { clearToken } from "#lib/client/browser-storage.ts";
import { forgetDraft } from "#lib/client/bulk-draft.ts";
import { forgetKeywords } from "#lib/client/remembered.ts";
import { noteLogout } from "#lib/client/session-state.ts";

/** Ends the login on the server, removes what this browser kept and leaves the protected area (R-NAV-08). */
export const useLogout = (): { isLeaving: boolean; logOut: () => Promise<void> } => {
  const [isLeaving, setIsLeaving] = useState(false);
  const router = useRouter();
  const notice = useNotice();

  const logOut = async (): Promise<void> => {
    if (isLeaving) return;
    setIsLeaving(true);
    try {
      await api.post("/api/auth/logout/");
    } catch {
      // The token goes all the same; only the server's half could not be ended.
      notice.error("You are logged out here, but the server did not answer.");
    }
    noteLogout();
    clearToken();
    forgetKeywords();
    await forgetDraft();
    router.replace("/login");
    router.refresh();
  };

  return { isLeaving, logOut };
};

/** Ends the login (R-NAV-08). */
export function LogoutButton({ className }: { className?: string }) {
  const { isLeaving, logOut } = useLogout();
  return (
    <button type="button" className={className} onClick={logOut} aria-disabled={isLeaving}>
      <LogOut aria-hidden="true" />
      <span className={RAIL_WORDS}>Logout</span>
    </button>
  );
}
