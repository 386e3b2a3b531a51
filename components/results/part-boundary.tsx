"use client";

import { Component, type ReactNode } from "react";

type PartBoundaryProps = {
  /** What stands in its place when it fails. */
  fallback: ReactNode;
  onFailure?: () => void;
  children: ReactNode;
};

/**
 * Holds back a failure while something is drawn, such as a script that did not arrive, so that the rest of the screen
 * stays. A script that failed stays failed until the page is loaded anew.
 */
export class PartBoundary extends Component<PartBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(failure: unknown): void {
    console.warn("A part of the screen could not be drawn", failure);
    this.props.onFailure?.();
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
