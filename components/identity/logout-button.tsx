"use client";

import LogOut from "lucide-react/icons/log-out";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { SIDEBAR_LABEL } from "#components/shared/sidebar-item.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { api } from "#lib/client/api.ts";
import { clearToken } from "#lib/client/browser-storage.ts";
import { deleteBulkDraft } from "#lib/client/bulk-draft.ts";
import { deleteSavedKeywords } from "#lib/client/remembered.ts";
import { noteLogout } from "#lib/client/session-state.ts";

/** Ends the login, clears local data and goes to /login. */
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
      // The token is removed anyway; only the server call failed.
      notice.error(
        "You're signed out in this browser, but we couldn't reach the server. To make sure the session ended, sign in again and check Devices in Settings.",
      );
    }
    noteLogout();
    clearToken();
    deleteSavedKeywords();
    await deleteBulkDraft();
    router.replace("/login");
    router.refresh();
  };

  return { isLeaving, logOut };
};

export function LogoutButton({ className }: { className?: string }) {
  const { isLeaving, logOut } = useLogout();
  return (
    <button type="button" className={className} onClick={logOut} aria-disabled={isLeaving}>
      <LogOut aria-hidden="true" />
      <span className={SIDEBAR_LABEL}>Logout</span>
    </button>
  );
}
