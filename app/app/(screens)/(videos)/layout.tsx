import type { ReactNode } from "react";
import { ExtractorProvider } from "#components/videos/extractor-context.tsx";

/** The page that was read outlasts a look at the saved videos; leaving both lets it go. */
export default function VideosLayout({ children }: { children: ReactNode }) {
  return <ExtractorProvider>{children}</ExtractorProvider>;
}
