import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { FIRST_PAINT } from "#components/site/first-paint.ts";
import { NoticeProvider } from "#components/ui/notice.tsx";
import { productFacts } from "./facts.ts";
import { fontVariables } from "./fonts/faces.ts";
import "./globals.css";

export async function generateMetadata(): Promise<Metadata> {
  const { name, appUrl } = await productFacts();
  const description = "Pins made from your keywords, chosen by you, published to Pinterest once, at the hour you set.";
  return {
    metadataBase: new URL(appUrl),
    title: { default: `${name}: a few keywords in, a wall of pins up`, template: `%s · ${name}` },
    description,
    applicationName: name,
    openGraph: { siteName: name, type: "website", description },
  };
}

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
    <html lang="en" className={fontVariables} suppressHydrationWarning>
      <head>
        <script>{FIRST_PAINT}</script>
      </head>
      <body>
        <NoticeProvider>{children}</NoticeProvider>
      </body>
    </html>
  );
}
