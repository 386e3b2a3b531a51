"use client";

import { type ReactNode, useEffect, useRef } from "react";

type FocusedHeadingProps = { children: ReactNode; level?: 1 | 2; className?: string };

/** The heading of a view that replaced another one. It takes the focus, so that screen readers continue there. */
export function FocusedHeading({ children, level = 1, className }: FocusedHeadingProps) {
  const ref = useRef<HTMLHeadingElement>(null);
  const Heading = `h${level}` as const;
  useEffect(() => ref.current?.focus(), []);
  return (
    <Heading ref={ref} tabIndex={-1} className={className}>
      {children}
    </Heading>
  );
}
