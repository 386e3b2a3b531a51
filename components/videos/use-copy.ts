"use client";

import { useCallback } from "react";
import { showToast } from "#components/ui/toaster.tsx";
import { COPIED_MS, copyFailed, VIDEO_TEXTS } from "#components/videos/video-texts.ts";

/** Copies a video's address and says so for two seconds (R-VID-12); a failure is the screen's to tell (R-VID-13). */
export const useCopy = (onFailed: (text: string) => void): ((address: string) => Promise<void>) =>
  useCallback(
    async (address: string) => {
      try {
        // Where the page is not served safely there is no clipboard at all.
        await navigator.clipboard.writeText(address);
        showToast(VIDEO_TEXTS.copied, { hasCheck: true, durationMs: COPIED_MS });
      } catch (error) {
        onFailed(copyFailed(error instanceof Error ? error.message : String(error)));
      }
    },
    [onFailed],
  );
