"use client";

import { useRef } from "react";
import { type BulkForm, shownRows } from "#components/pins/bulk/bulk-rows.ts";
import { type KeptFiles, keptIn } from "#components/pins/bulk/form-data.ts";
import type { ApiError } from "#lib/client/api.ts";
import { callAction } from "#lib/client/call-action.ts";
import { findKeptAction } from "#lib/features/pins/actions.ts";

const hexOf = (digest: ArrayBuffer): string =>
  [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const NONE: KeptFiles = new Map();

/** The digests of files, one after the other: each is in memory as a whole. */
const digestsOf = async (files: readonly File[], signal: AbortSignal): Promise<Map<File, string>> => {
  const digests = new Map<File, string>();
  for (const file of files) {
    signal.throwIfAborted();
    digests.set(file, hexOf(await crypto.subtle.digest("SHA-256", await file.arrayBuffer())));
  }
  return digests;
};

/** Those of them that the server has. Without an answer none is taken to be there: all are sent. */
const askFor = async (files: ReadonlyMap<File, string>): Promise<ReadonlySet<string>> => {
  if (files.size === 0) return new Set();
  const answer = await callAction(findKeptAction({ digests: [...files.values()] }));
  return new Set(answer.ok ? answer.value : []);
};

/** What is known of images that need not be sent again. */
export interface KeptFilesOf {
  /** Whether this page can tell which images are kept. */
  canTell: boolean;
  /** The kept ones among the images of a form, with their SHA-256. Rejects with the signal's reason. */
  read: (form: BulkForm, signal: AbortSignal) => Promise<KeptFiles>;
  /** Takes in what a failure says of kept images, if it does: then whatever it does not call kept is to be sent. */
  learn: (error: ApiError, form: BulkForm) => void;
  /** Takes in which rows' images, by their keys, had gone whole when sending broke off. */
  learnGone: (keys: ReadonlySet<string>, form: BulkForm) => void;
}

/**
 * Remembers which images of a form the server may keep, so that the next try sends only the others: it says so with a
 * refusal, and is asked about those that had gone when an upload broke off. A page without TLS has no digests of the
 * browser: it sends all of them again.
 */
export const useKeptFiles = (): KeptFilesOf => {
  const files = useRef<ReadonlySet<File>>(new Set());
  const gone = useRef<ReadonlySet<File>>(new Set());
  const canTell = Boolean(globalThis.crypto.subtle);
  return {
    canTell,
    read: async (form, signal) => {
      const own = shownRows(form).flatMap(({ picture }) => (picture ? [picture.file] : []));
      const kept = own.filter((file) => files.current.has(file));
      const perhaps = own.filter((file) => gone.current.has(file) && !files.current.has(file));
      if (kept.length + perhaps.length === 0 || !canTell) return NONE;
      const asked = await digestsOf(perhaps, signal);
      const found = await askFor(asked);
      const known = [...asked].filter(([, digest]) => found.has(digest));
      return new Map([...(await digestsOf(kept, signal)), ...known]);
    },
    learn: ({ body }, form) => {
      const kept = keptIn(body, form);
      // Most failures say nothing about it.
      if (kept) files.current = new Set(kept);
    },
    learnGone: (keys, form) => {
      const whole = shownRows(form).flatMap(({ key, picture }) => (picture && keys.has(key) ? [picture.file] : []));
      gone.current = new Set([...gone.current, ...whole]);
    },
  };
};
