"use client";

import { useEffect, useRef, useState } from "react";
import { randomKey } from "#lib/client/random-key.ts";
import { SLIDES_MAX, SLIDES_MIN, TEXTS } from "#lib/features/formats/constants.ts";
import { IMAGE_BYTES_MAX, TEXTS as PIN_TEXTS } from "#lib/features/pins/constants.ts";
import { linkProblem } from "./use-format-form.ts";

export interface NewSlide {
  key: string;
  file: File;
  /** Object URL. */
  preview: string;
  title: string;
  description: string;
  url: string;
}

export type SlideText = "title" | "description" | "url";

export interface Slides {
  slides: readonly NewSlide[];
  /** Images beyond the maximum. */
  leftOut: number;
  add: (files: readonly File[]) => void;
  setText: (key: string, part: SlideText, text: string) => void;
  /** `by`: -1 to the front, 1 to the back. */
  move: (key: string, by: 1 | -1) => void;
  remove: (key: string) => void;
  clear: () => void;
}

const toSlide = (file: File): NewSlide => ({
  ...{ key: randomKey(), file, preview: URL.createObjectURL(file) },
  ...{ title: "", description: "", url: "" },
});

export interface SlideProblems {
  image: string | undefined;
  url: string | undefined;
}

/** Why slides would be refused, by their keys. */
export const slideProblems = (slides: readonly NewSlide[]): Map<string, SlideProblems> =>
  new Map(
    slides.flatMap(({ key, file, url }) => {
      const image = file.size > IMAGE_BYTES_MAX ? PIN_TEXTS.imageTooLarge : undefined;
      const problems = { image, url: linkProblem(url) };
      return problems.image || problems.url ? [[key, problems] as const] : [];
    }),
  );

export const countProblem = (slides: readonly NewSlide[]): string | null =>
  slides.length < SLIDES_MIN ? TEXTS.slidesCount : null;

const swapped = (slides: readonly NewSlide[], from: number, to: number): NewSlide[] => {
  const [one, other] = [slides[from], slides[to]];
  if (!one || !other) return [...slides];
  return slides.map((slide, at) => (at === from ? other : at === to ? one : slide));
};

/** The slides of a new carousel, in order. */
export const useSlides = (): Slides => {
  const [slides, setSlides] = useState<readonly NewSlide[]>([]);
  const [leftOut, setLeftOut] = useState(0);
  const previews = useRef(new Set<string>());
  const release = (all: Iterable<string>) => {
    for (const preview of all) {
      URL.revokeObjectURL(preview);
      previews.current.delete(preview);
    }
  };
  useEffect(() => {
    const { current } = previews;
    return () => {
      for (const preview of current) URL.revokeObjectURL(preview);
    };
  }, []);
  return {
    slides,
    leftOut,
    add: (files) => {
      const added = files.slice(0, SLIDES_MAX - slides.length).map(toSlide);
      for (const { preview } of added) previews.current.add(preview);
      setLeftOut(files.length - added.length);
      setSlides([...slides, ...added]);
    },
    setText: (key, part, text) =>
      setSlides((before) => before.map((slide) => (slide.key === key ? { ...slide, [part]: text } : slide))),
    move: (key, by) =>
      setSlides((before) => {
        const from = before.findIndex((slide) => slide.key === key);
        return swapped(before, from, from + by);
      }),
    remove: (key) => {
      release(slides.flatMap((slide) => (slide.key === key ? [slide.preview] : [])));
      setLeftOut(0);
      setSlides(slides.filter((slide) => slide.key !== key));
    },
    clear: () => {
      release([...previews.current]);
      setLeftOut(0);
      setSlides([]);
    },
  };
};
