import type { Viewport } from "next";
import type { ReactNode } from "react";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { AfterUpdate } from "#components/shared/after-update.tsx";
import { FIRST_PAINT } from "#components/site/first-paint.ts";
import { NoticeProvider } from "#components/ui/notice.tsx";
import { siteMetadata } from "./metadata.ts";
import "./globals.css";

export const generateMetadata = siteMetadata;

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#faf7f1" },
    { media: "(prefers-color-scheme: dark)", color: "#101a15" },
  ],
};

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang="en" suppressHydrationWarning>
      <head>
        <script>{FIRST_PAINT}</script>
      </head>
      <body>
        <PreloadFonts names={["hanken-grotesk"]} />
        <NoticeProvider>{children}</NoticeProvider>
        <AfterUpdate />
      </body>
    </html>
  );
}
