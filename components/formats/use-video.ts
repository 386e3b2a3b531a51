"use client";

import { useEffect, useRef, useState } from "react";
import { SECOND_MS } from "#lib/core/time.ts";
import { TEXTS, VIDEO_BYTES_MAX, VIDEO_MAX_MS, VIDEO_MIN_MS, VIDEO_PROBLEMS } from "#lib/features/formats/constants.ts";

interface ChosenVideo {
  file: File;
  /** Object URL. */
  url: string;
}

interface ChosenCover {
  file: File;
  /** Object URL. */
  url: string;
  /** Seconds into the video; null for an uploaded image. */
  at: number | null;
}

export interface VideoChoice {
  video: ChosenVideo | null;
  cover: ChosenCover | null;
  /** Why the server would refuse the video, as far as the browser can tell. */
  problem: string | null;
  /** The browser can't decode it, so a cover must be uploaded. */
  isUnplayable: boolean;
  chooseVideo: (file: File) => void;
  chooseCover: (file: File) => void;
  /** Takes the frame that the player shows. */
  takeFrame: (player: HTMLVideoElement) => Promise<void>;
  onLoaded: (player: HTMLVideoElement) => void;
  onUnplayable: () => void;
  clear: () => void;
}

const JPEG_QUALITY = 0.92;

/** While seeking, a player still shows the previous frame. */
const waitForFrame = async (player: HTMLVideoElement): Promise<void> => {
  while (player.seeking) await new Promise((resolve) => player.addEventListener("seeked", resolve, { once: true }));
};

/** The frame that a player shows; null when it shows none. */
const frameOf = async (player: HTMLVideoElement): Promise<File | null> => {
  if (player.videoWidth === 0) return null;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [player.videoWidth, player.videoHeight];
  canvas.getContext("2d")?.drawImage(player, 0, 0);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", JPEG_QUALITY));
  return blob && new File([blob], "cover.jpg", { type: "image/jpeg" });
};

const lengthProblem = (seconds: number): string | null => {
  if (!Number.isFinite(seconds)) return null;
  const ms = seconds * SECOND_MS;
  if (ms === 0) return VIDEO_PROBLEMS.no_length;
  if (ms < VIDEO_MIN_MS) return VIDEO_PROBLEMS.too_short;
  return ms > VIDEO_MAX_MS ? VIDEO_PROBLEMS.too_long : null;
};

/** Frees an object URL when it is replaced and when the screen closes. */
const useObjectUrl = () => {
  const url = useRef<string | null>(null);
  useEffect(
    () => () => {
      if (url.current !== null) URL.revokeObjectURL(url.current);
    },
    [],
  );
  const replace = (file: File | null): string => {
    if (url.current !== null) URL.revokeObjectURL(url.current);
    url.current = file && URL.createObjectURL(file);
    return url.current ?? "";
  };
  return replace;
};

/** A video and its cover, chosen on this screen. */
export const useVideo = (): VideoChoice => {
  const [video, setVideo] = useState<ChosenVideo | null>(null);
  const [cover, setCover] = useState<ChosenCover | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isUnplayable, setUnplayable] = useState(false);
  const replaceVideoUrl = useObjectUrl();
  const replaceCoverUrl = useObjectUrl();
  // Seeking and encoding take a while, and another video or cover may be chosen meanwhile.
  const turn = useRef(0);

  const clear = () => {
    turn.current += 1;
    replaceVideoUrl(null);
    replaceCoverUrl(null);
    setVideo(null);
    setCover(null);
    setProblem(null);
    setUnplayable(false);
  };
  const takeFrame = async (player: HTMLVideoElement) => {
    turn.current += 1;
    const own = turn.current;
    if (player.seeking) await waitForFrame(player);
    if (own !== turn.current) return;
    const at = player.currentTime;
    const file = await frameOf(player);
    if (file && own === turn.current) setCover({ file, url: replaceCoverUrl(file), at });
  };
  return {
    ...{ video, cover, problem, isUnplayable, takeFrame, clear },
    chooseVideo: (file) => {
      clear();
      if (file.size > VIDEO_BYTES_MAX) setProblem(TEXTS.videoTooLarge);
      setVideo({ file, url: replaceVideoUrl(file) });
    },
    chooseCover: (file) => {
      turn.current += 1;
      setCover({ file, url: replaceCoverUrl(file), at: null });
    },
    onLoaded: (player) => {
      setProblem((before) => before ?? lengthProblem(player.duration));
      if (player.videoWidth === 0) setUnplayable(true);
      else if (!cover) void takeFrame(player);
    },
    onUnplayable: () => setUnplayable(true),
  };
};
