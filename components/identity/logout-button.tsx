"use client";

import LogOut from "lucide-react/icons/log-out";
import { useLogout } from "#components/identity/use-logout.ts";

/** Ends the login (R-NAV-08). */
export function LogoutButton({ className }: { className?: string }) {
  const { isLeaving, logOut } = useLogout();
  return (
    <button type="button" className={className} onClick={logOut} aria-disabled={isLeaving}>
      <LogOut aria-hidden="true" />
      <span className="nav-text">Logout</span>
    </button>
  );
}
