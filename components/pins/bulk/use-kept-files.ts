"use client";

import { useRef } from "react";
import { type BulkForm, shownRows } from "#components/pins/bulk/bulk-rows.ts";
import { type KeptFiles, keptIn } from "#components/pins/bulk/form-data.ts";
import type { ApiError } from "#lib/client/api.ts";

const hexOf = (digest: ArrayBuffer): string =>
  [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const NONE: KeptFiles = new Map();

/**
 * Remembers which images of a refused form the server keeps, so that the next try sends only the others. A page without
 * TLS has no digests of the browser: it sends all of them again.
 */
export const useKeptFiles = (): {
  /** The kept ones among the images of a form, with their SHA-256. */
  read: (form: BulkForm) => Promise<KeptFiles>;
  /** Takes in what a refusal says. Whatever it does not call kept is to be sent. */
  learn: (error: ApiError, form: BulkForm) => void;
} => {
  const files = useRef<ReadonlySet<File>>(new Set());
  return {
    read: async (form) => {
      const own = shownRows(form).flatMap(({ picture }) => (picture ? [picture.file] : []));
      const kept = own.filter((file) => files.current.has(file));
      if (kept.length === 0 || !globalThis.crypto.subtle) return NONE;
      const digests = new Map<File, string>();
      // One after the other: each is in memory as a whole.
      for (const file of kept) {
        digests.set(file, hexOf(await crypto.subtle.digest("SHA-256", await file.arrayBuffer())));
      }
      return digests;
    },
    learn: ({ status, body }, form) => {
      // Other failures than refusals say nothing about it.
      if (status === 400) files.current = new Set(keptIn(body, form));
    },
  };
};
