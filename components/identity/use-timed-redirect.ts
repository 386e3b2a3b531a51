"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";

/** Goes to a path after a time, once `isOn`; leaving the screen first cancels it (R-TIME-03, R-TIME-05). */
export function useTimedRedirect(isOn: boolean, path: string, afterMs: number): void {
  const router = useRouter();
  useEffect(() => {
    if (!isOn) return;
    const timer = setTimeout(() => router.push(path), afterMs);
    return () => clearTimeout(timer);
  }, [isOn, path, afterMs, router]);
}
