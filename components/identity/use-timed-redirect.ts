"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";

/** Redirects after a delay once `isOn`; unmounting cancels it. */
export function useTimedRedirect(isOn: boolean, path: string, afterMs: number): void {
  const router = useRouter();
  useEffect(() => {
    if (!isOn) return;
    const timer = setTimeout(() => router.push(path), afterMs);
    return () => clearTimeout(timer);
  }, [isOn, path, afterMs, router]);
}
